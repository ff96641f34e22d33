-- Somebody took back the approval that it was let go with: it is paused until its group is held again, and then waits for people.
ALTER TABLE "change" ADD COLUMN "paused_until_held" BOOLEAN NOT NULL DEFAULT false;

-- What was taken back is not due: those who approve it say when it goes. Nothing of it had moved, so what others said may expire.
CREATE OR REPLACE FUNCTION "approval_of_void"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken_back BOOLEAN := EXISTS (SELECT 1 FROM "change" WHERE "id" = NEW."change_id" AND "paused_until_held");
BEGIN
  IF NEW."awaits_time" THEN
    UPDATE "approval" SET "decision_id" = NULL, "begun" = "begun" OR (NEW."accepted_at" IS NOT NULL AND NOT taken_back)
      WHERE "decision_id" = NEW."id" AND "ended_at" IS NULL;
    UPDATE "change" SET "due_mode" = NEW."mode"
      WHERE "id" = NEW."change_id" AND "state" IN ('waiting', 'rejected', 'approved', 'running', 'stuck') AND NOT taken_back;
  ELSE
    UPDATE "approval" SET "ended_at" = now(), "ended_why" = 'void' WHERE "decision_id" = NEW."id" AND "ended_at" IS NULL;
  END IF;
  IF taken_back THEN
    UPDATE "change" SET "paused_by" = NULL, "paused_reason" = NULL, "paused_at" = NULL, "paused_until_held" = false
      WHERE "id" = NEW."change_id";
  END IF;
  RETURN NULL;
END
$$;
