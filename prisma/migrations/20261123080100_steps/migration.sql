-- A control plane machine by machine: how many of its machines may have been dealt with before it waits for somebody (null: all),
-- how many were when it began to wait, and since when it does.
ALTER TABLE "change" ADD COLUMN "steps" INTEGER;
ALTER TABLE "change" ADD COLUMN "steps_done" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "change" ADD COLUMN "step_waits_at" TIMESTAMPTZ(3);

-- The machine of this step: what the gate said of it to Cluster API, it says of no other one.
ALTER TABLE "change" ADD COLUMN "step_machine" TEXT;
ALTER TABLE "change" ADD COLUMN "step_granted_at" TIMESTAMPTZ(3);

-- Few changes go machine by machine; the worker asks for them every moment.
CREATE INDEX "change_steps" ON "change"("cluster_id") WHERE "steps" IS NOT NULL;

-- Approved for one machine at a time.
ALTER TABLE "approval" ADD COLUMN "one_by_one" BOOLEAN NOT NULL DEFAULT false;
