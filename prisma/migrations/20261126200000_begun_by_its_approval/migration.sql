-- An approval has begun when a machine began by the decision that it was a part of: not by an earlier one, which was rejected since.
CREATE OR REPLACE FUNCTION "approval_of_void"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken_back BOOLEAN := EXISTS (SELECT 1 FROM "change" WHERE "id" = NEW."change_id" AND "paused_until_held");
  began BOOLEAN := NEW."accepted_at" IS NOT NULL AND NOT taken_back AND EXISTS (
    SELECT 1 FROM "machine_progress" p WHERE p."change_id" = NEW."change_id" AND p."begun_by" = NEW."id");
BEGIN
  IF NEW."awaits_time" THEN
    UPDATE "approval" SET "decision_id" = NULL, "begun" = "begun" OR began
      WHERE "decision_id" = NEW."id" AND "ended_at" IS NULL;
    UPDATE "change" SET "due_mode" = NEW."mode"
      WHERE "id" = NEW."change_id" AND "state" IN ('waiting', 'rejected', 'approved', 'running', 'stuck') AND NOT taken_back;
  ELSE
    UPDATE "approval" SET "ended_at" = now(), "ended_why" = 'void' WHERE "decision_id" = NEW."id" AND "ended_at" IS NULL;
  END IF;
  -- Disconnected before it was held: its change is over, and whoever connects it again has to know.
  IF taken_back AND NOT NEW."cut_off" THEN
    UPDATE "change" SET "paused_by" = NULL, "paused_reason" = NULL, "paused_at" = NULL, "paused_until_held" = false
      WHERE "id" = NEW."change_id";
  END IF;
  RETURN NULL;
END
$$;

DROP FUNCTION "begun_since_let_go"(UUID);
