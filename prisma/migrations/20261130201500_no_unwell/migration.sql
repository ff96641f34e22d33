-- Who deletes a control plane machine that is ill nobody outside can tell.
UPDATE "machine_progress" SET "went_by" = 'others' WHERE "went_by" = 'ill';
UPDATE "change" SET "outcome" = "outcome" - 'ill'
  || jsonb_build_object('byOthers', coalesce(("outcome"->>'byOthers')::int, 0) + ("outcome"->>'ill')::int)
WHERE "outcome" ? 'ill';
-- AlterTable
ALTER TABLE "machine_progress" DROP COLUMN "unwell";
