ALTER TABLE "change" ADD COLUMN "paused_by" TEXT;
ALTER TABLE "change" ADD COLUMN "paused_reason" TEXT;
ALTER TABLE "change" ADD COLUMN "paused_at" TIMESTAMPTZ(3);

-- Few changes are paused; the worker asks for them every few seconds.
CREATE INDEX "change_paused" ON "change"("cluster_id") WHERE "paused_at" IS NOT NULL;

ALTER TABLE "approval" ADD COLUMN "typed_name" BOOLEAN NOT NULL DEFAULT false;

-- Of a change that is over, nothing is due.
CREATE OR REPLACE FUNCTION "approval_of_void"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."awaits_time" THEN
    UPDATE "approval" SET "decision_id" = NULL, "begun" = "begun" OR NEW."accepted_at" IS NOT NULL
      WHERE "decision_id" = NEW."id" AND "ended_at" IS NULL;
    UPDATE "change" SET "due_mode" = NEW."mode"
      WHERE "id" = NEW."change_id" AND "state" IN ('waiting', 'rejected', 'approved', 'running', 'stuck');
  ELSE
    UPDATE "approval" SET "ended_at" = now(), "ended_why" = 'void' WHERE "decision_id" = NEW."id" AND "ended_at" IS NULL;
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION "due_of_over"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."due_mode" = NULL;
  RETURN NEW;
END
$$;
CREATE TRIGGER "due_of_over" BEFORE UPDATE OF "state" ON "change" FOR EACH ROW
  WHEN (NEW.state IN ('superseded', 'reverted', 'done') AND OLD.due_mode IS NOT NULL) EXECUTE FUNCTION "due_of_over"();
