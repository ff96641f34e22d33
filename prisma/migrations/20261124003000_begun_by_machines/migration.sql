-- An approval has begun when a machine has: what was let go and held again before any did may expire like what never went.
CREATE OR REPLACE FUNCTION "approval_of_void"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken_back BOOLEAN := EXISTS (SELECT 1 FROM "change" WHERE "id" = NEW."change_id" AND "paused_until_held");
  began BOOLEAN := NEW."accepted_at" IS NOT NULL AND NOT taken_back AND EXISTS (
    SELECT 1 FROM "machine_progress" WHERE "change_id" = NEW."change_id" AND "started_at" IS NOT NULL);
BEGIN
  IF NEW."awaits_time" THEN
    UPDATE "approval" SET "decision_id" = NULL, "begun" = "begun" OR began
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

UPDATE "approval" a SET "begun" = false WHERE a."begun" AND a."ended_at" IS NULL AND NOT EXISTS (
  SELECT 1 FROM "machine_progress" p WHERE p."change_id" = a."change_id" AND p."started_at" IS NOT NULL);
