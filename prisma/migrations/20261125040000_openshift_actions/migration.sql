-- Decisions on OpenShift of any kind, in steps: what was only a boot image decision is one of them.
-- An older Drydock may still record boot image decisions: what it does not know has its defaults.
ALTER TABLE "skew_action" ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'skew',
ADD COLUMN "target" TEXT NOT NULL DEFAULT 'machineconfigurations/cluster',
ADD COLUMN "wish" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN "steps" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN "step" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "generation" BIGINT,
ADD COLUMN "waits_since" TIMESTAMPTZ(3),
ADD COLUMN "batch_id" UUID,
ADD COLUMN "review_told_at" TIMESTAMPTZ(3);

-- Of several that were left under way on one object the newest goes on.
UPDATE "skew_action" a SET "state" = 'failed', "error" = 'Another decision came after this one before it was applied.'
WHERE a."state" IN ('recorded', 'applying') AND EXISTS (
  SELECT 1 FROM "skew_action" b WHERE b."cluster_id" = a."cluster_id" AND b."state" IN ('recorded', 'applying')
    AND (b."recorded_at", b."id") > (a."recorded_at", a."id"));

-- One at a time on an object: of two that are decided at once one is told of the other.
CREATE UNIQUE INDEX "skew_action_under_way" ON "skew_action"("cluster_id", "target")
WHERE "state" IN ('recorded', 'applying', 'waiting');

-- CreateIndex
CREATE INDEX "skew_action_cluster_id_kind_target_recorded_at_idx" ON "skew_action"("cluster_id", "kind", "target", "recorded_at");
CREATE INDEX "skew_action_batch_id_idx" ON "skew_action"("batch_id");
