-- Approved after all outside its time, what had been rejected goes by itself: from here on it waits for that, and the rejection is void, as for
-- whatever is approved so from now on (lib/services/changes/record.ts).
UPDATE "decision" d SET "state" = 'voided', "claimed_until" = NULL, "awaits_time" = false, "error" = 'approved after all'
FROM "change" c WHERE c."id" = d."change_id" AND c."state" = 'rejected' AND c."due_mode" IS NOT NULL
  AND d."mode" = 'reject' AND d."state" IN ('recorded', 'applying', 'accepted', 'seen', 'failed');
UPDATE "change" SET "state" = 'waiting' WHERE "state" = 'rejected' AND "due_mode" IS NOT NULL;
