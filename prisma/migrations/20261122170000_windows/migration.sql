ALTER TABLE "change" ADD COLUMN "due_mode" TEXT;
ALTER TABLE "change" ADD COLUMN "override_by" TEXT;
ALTER TABLE "change" ADD COLUMN "override_reason" TEXT;
ALTER TABLE "change" ADD COLUMN "override_at" TIMESTAMPTZ(3);
ALTER TABLE "decision" ADD COLUMN "awaits_time" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "approval" ADD COLUMN "begun" BOOLEAN NOT NULL DEFAULT false;

-- Few changes wait for their time; the worker looks at them every few seconds.
CREATE INDEX "change_due" ON "change"("cluster_id") WHERE "due_mode" IS NOT NULL;

-- What only its calendar stopped goes on when its time comes, on the strength of the same approvals; all else ends them.
CREATE OR REPLACE FUNCTION "approval_of_void"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."awaits_time" THEN
    UPDATE "approval" SET "decision_id" = NULL, "begun" = "begun" OR NEW."accepted_at" IS NOT NULL
      WHERE "decision_id" = NEW."id" AND "ended_at" IS NULL;
    UPDATE "change" SET "due_mode" = NEW."mode" WHERE "id" = NEW."change_id";
  ELSE
    UPDATE "approval" SET "ended_at" = now(), "ended_why" = 'void' WHERE "decision_id" = NEW."id" AND "ended_at" IS NULL;
  END IF;
  RETURN NULL;
END
$$;
