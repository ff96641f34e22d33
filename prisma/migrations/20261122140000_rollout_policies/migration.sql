-- Policies select workload clusters by their labels.
ALTER TABLE "workload_cluster" ADD COLUMN "labels" JSONB;

ALTER TABLE "decision" ADD COLUMN "policy" JSONB;

CREATE TABLE "approval" (
    "id" UUID NOT NULL,
    "change_id" UUID NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "reason" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "ended_why" TEXT,
    "decision_id" UUID,

    CONSTRAINT "approval_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "approval_change_id_at_idx" ON "approval"("change_id", "at");
CREATE INDEX "approval_decision_id_idx" ON "approval"("decision_id");
ALTER TABLE "approval" ADD CONSTRAINT "approval_change_id_fkey" FOREIGN KEY ("change_id") REFERENCES "change"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "rollout_policy" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "spec" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rollout_policy_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "rollout_policy_name_key" ON "rollout_policy"("name");

CREATE TABLE "rollout_policy_version" (
    "policy_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "spec" JSONB,
    "actor_name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rollout_policy_version_pkey" PRIMARY KEY ("policy_id","version")
);

-- An approval is good for one decision: where that no longer speaks (it was stopped, voided, superseded), whoever approved is
-- asked again. Many write decisions; none may forget. A failed one may be retried, and keeps them.
CREATE FUNCTION "approval_of_void"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "approval" SET "ended_at" = now(), "ended_why" = 'void' WHERE "decision_id" = NEW."id" AND "ended_at" IS NULL;
  RETURN NULL;
END
$$;
CREATE TRIGGER "approval_of_void" AFTER UPDATE OF "state" ON "decision" FOR EACH ROW
  WHEN (NEW.state = 'voided' AND OLD.state <> 'voided') EXECUTE FUNCTION "approval_of_void"();

-- Of a change that is over, no approval stands.
CREATE FUNCTION "approval_of_over"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "approval" SET "ended_at" = now(), "ended_why" = 'void' WHERE "change_id" = NEW."id" AND "ended_at" IS NULL;
  RETURN NULL;
END
$$;
CREATE TRIGGER "approval_of_over" AFTER UPDATE OF "state" ON "change" FOR EACH ROW
  WHEN (NEW.state IN ('superseded', 'reverted') AND OLD.state <> NEW.state) EXECUTE FUNCTION "approval_of_over"();
