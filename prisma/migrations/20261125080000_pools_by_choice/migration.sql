-- How governed pools of OpenShift are held is a choice of its own: latched in the same write where somebody chose so.
ALTER TABLE "policy" ADD COLUMN "pools" TEXT CHECK ("pools" IN ('same-write', 'pausing'));
-- Drydock watches and pauses pools alone, beside a latch of Cluster API's groups.
ALTER TABLE "management_cluster" ADD COLUMN "watch_pools_only" BOOLEAN NOT NULL DEFAULT false;

-- Where there are only pools, whoever installed a latch chose it for them.
UPDATE "policy" p SET "pools" = 'same-write' FROM "management_cluster" c
WHERE c."id" = p."cluster_id" AND c."latch_form" IN ('webhook', 'policy') AND coalesce(jsonb_typeof(c."discovery" -> 'clusterApi'), 'null') = 'null';
