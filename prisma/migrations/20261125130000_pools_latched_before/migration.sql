-- Until pools were held by choice, whatever latch was installed held them as well, beside Cluster API's groups too. Where nobody chose since, that
-- stays. A latch that was installed with "pausing" as what nobody chose was said so, and is on record as that.
UPDATE "policy" p SET "pools" = 'same-write' FROM "management_cluster" c
WHERE c."id" = p."cluster_id" AND p."pools" IS NULL AND c."latch_form" IN ('webhook', 'policy')
  AND c."discovery" -> 'resources' ? 'machineconfigpools.machineconfiguration.openshift.io'
  AND coalesce((
    SELECT a."details" ->> 'pools' FROM "audit_event" a
    WHERE a."target_kind" = 'Latch' AND a."target_id" = c."id"::text AND a."action" = 'latch.install' AND a."details" ? 'form' ORDER BY a."id" DESC LIMIT 1), '') <> 'pausing';
