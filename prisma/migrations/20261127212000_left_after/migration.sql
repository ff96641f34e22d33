-- Which changes the end of a disconnect ended is written down then: of whose clock is wrong, nobody can tell it by the times.
-- The newest event that was on record by then: that of the end comes next.
ALTER TABLE "change" ADD COLUMN "left_after" BIGINT;

-- Of those before, by the two events of a disconnect: the same process wrote both, and the end of the change in between.
UPDATE "change" c SET "left_after" = ended."id" - 1
FROM (
  SELECT e."id", e."target_id", e."at", (SELECT b."at" FROM "audit_event" b
    WHERE b."target_kind" = 'ManagementCluster' AND b."target_id" = e."target_id" AND b."action" = 'cluster.disconnect' AND b."id" < e."id"
    ORDER BY b."id" DESC LIMIT 1) AS began
  FROM "audit_event" e
  WHERE e."target_kind" = 'ManagementCluster' AND e."action" = 'cluster.disconnected' AND e."result" = 'ok'
) ended
WHERE c."state" = 'superseded' AND c."cluster_id"::text = ended."target_id" AND c."finished_at" BETWEEN ended.began AND ended."at";
