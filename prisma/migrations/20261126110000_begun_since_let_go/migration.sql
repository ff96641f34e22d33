-- What began before it was let go here (a node that was told before its pool was paused) did not begin by an approval.
CREATE FUNCTION "begun_since_let_go"(change UUID) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM "machine_progress" p WHERE p."change_id" = change AND p."started_at" >= (
    SELECT min(d."sent_at") FROM "decision" d WHERE d."change_id" = change AND d."mode" <> 'reject'))
$$;

CREATE OR REPLACE FUNCTION "approval_of_void"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken_back BOOLEAN := EXISTS (SELECT 1 FROM "change" WHERE "id" = NEW."change_id" AND "paused_until_held");
  began BOOLEAN := NEW."accepted_at" IS NOT NULL AND NOT taken_back AND begun_since_let_go(NEW."change_id");
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
