-- What of the change was approved stays with the decision: held again, the change itself is planned anew. Machines that have begun, and
-- what Cluster API remembers, are judged by this. Null: of before, of a pool, or a rejection.
ALTER TABLE "decision" ADD COLUMN "pairs" JSONB;

-- Of those in force the change stands as it was approved, and of others that were sent nothing better is known. A change that is over
-- does not change any more.
UPDATE "decision" d SET "pairs" = c."change_set"->'pairs' FROM "change" c
WHERE c."id" = d."change_id" AND c."group_kind" <> 'MachineConfigPool' AND d."mode" <> 'reject' 
  AND c."state" IN ('waiting', 'rejected', 'approved', 'running', 'stuck')
  AND (d."state" IN ('recorded', 'applying', 'accepted', 'seen') OR d."accepted_at" IS NOT NULL OR d."sent_at" IS NOT NULL);
