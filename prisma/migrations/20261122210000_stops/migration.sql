ALTER TABLE "change" ADD COLUMN "stopped_by" TEXT;
ALTER TABLE "change" ADD COLUMN "stopped_why" TEXT;
ALTER TABLE "change" ADD COLUMN "stopped_at" TIMESTAMPTZ(3);
ALTER TABLE "change" ADD COLUMN "failures_from" TIMESTAMPTZ(3);
ALTER TABLE "change" ADD COLUMN "never_stops" BOOLEAN NOT NULL DEFAULT false;

-- Few changes are stopped; the worker asks for them every few seconds.
CREATE INDEX "change_stopped" ON "change"("cluster_id") WHERE "stopped_at" IS NOT NULL;

ALTER TABLE "machine_progress" ADD COLUMN "failed_at" TIMESTAMPTZ(3);
ALTER TABLE "machine_progress" ADD COLUMN "failed_why" TEXT;

-- Of machines: written anew with the next look at each.
ALTER TABLE "machine" ADD COLUMN "check_failed_since" TIMESTAMPTZ(3), ADD COLUMN "not_ready_since" TIMESTAMPTZ(3);
