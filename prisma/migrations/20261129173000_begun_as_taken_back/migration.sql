-- Taken back (or expired) after it was let go, and a machine began before it was held again: what the others said has begun by
-- then, and speaks of nothing that is left. Whoever approves the rest looks at it anew.
CREATE OR REPLACE FUNCTION "approval_of_void"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken_back BOOLEAN := EXISTS (SELECT 1 FROM "change" WHERE "id" = NEW."change_id" AND "paused_until_held");
  began BOOLEAN := NEW."accepted_at" IS NOT NULL AND EXISTS (
    SELECT 1 FROM "machine_progress" p WHERE p."change_id" = NEW."change_id" AND p."begun_by" = NEW."id");
BEGIN
  IF taken_back AND began THEN
    -- What was taken back left the others' without their decision: it keeps whose they were.
    UPDATE "approval" a SET "ended_at" = clock_timestamp(), "ended_why" = 'void', "begun" = a."begun" OR coalesce(
        NEW."policy"->'approvals' @> jsonb_build_array(jsonb_build_object('actorId', a."actor_id")), true)
      WHERE a."change_id" = NEW."change_id" AND a."mode" = NEW."mode" AND a."ended_at" IS NULL
        AND (a."decision_id" IS NULL OR a."decision_id" = NEW."id");
  ELSIF NEW."awaits_time" THEN
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
