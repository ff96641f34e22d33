-- What was not well of a control plane machine as of the last look before it went, and since when it was seen so: a fact, by which nobody
-- is said to have deleted it.
ALTER TABLE "machine_progress" ADD COLUMN "unwell" TEXT, ADD COLUMN "unwell_since" TIMESTAMPTZ(3);
-- By whom more went, or was made, than was foretold: kept with what became of it, for lists know the newest decision only.
UPDATE "change" c SET "outcome" = c."outcome" || '{"unforetold": true}'::jsonb
WHERE c."group_kind" = 'KubeadmControlPlane' AND jsonb_typeof(c."outcome") = 'object' AND (c."outcome" ? 'byOthers' OR c."outcome" ? 'madeUp')
  AND (EXISTS (SELECT 1 FROM "decision" d WHERE d."change_id" = c."id" AND d."mode" = 'in-place' AND d."accepted_at" IS NOT NULL)
    OR (c."state" NOT IN ('waiting', 'rejected') AND jsonb_typeof(c."outlook"->'inPlace') = 'object'
      AND NOT EXISTS (SELECT 1 FROM "decision" d WHERE d."change_id" = c."id" AND d."mode" <> 'reject' AND d."accepted_at" IS NOT NULL)));
