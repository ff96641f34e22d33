-- MachineHealthChecks: which machines each is over, and when it has one remediated.
CREATE TABLE "machine_health_check" (
  "id" UUID NOT NULL,
  "cluster_id" UUID NOT NULL,
  "namespace" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "workload_cluster" TEXT NOT NULL,
  "spec" JSONB NOT NULL,
  "paused" BOOLEAN NOT NULL DEFAULT false,
  "targets" INTEGER,
  "healthy" INTEGER,
  "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "machine_health_check_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "machine_health_check_cluster_id_namespace_name_key"
  ON "machine_health_check" ("cluster_id", "namespace", "name");
ALTER TABLE "machine_health_check" ADD CONSTRAINT "machine_health_check_cluster_id_fkey"
  FOREIGN KEY ("cluster_id") REFERENCES "management_cluster" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What a check says of a machine, what its owner says on remediation, and whether anybody has that skipped.
ALTER TABLE "machine" ADD COLUMN "check_words" TEXT,
  ADD COLUMN "remediation_reason" TEXT,
  ADD COLUMN "remediation_words" TEXT,
  ADD COLUMN "skip_remediation" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "skip_mark" TEXT,
  ADD COLUMN "labels" JSONB;

-- Who has remediation skipped while the machines of a change are updated in place.
ALTER TABLE "change" ADD COLUMN "skips_by" TEXT,
  ADD COLUMN "skips_at" TIMESTAMPTZ(3),
  ADD COLUMN "skips_refused" TEXT;

CREATE TABLE "remediation_skip" (
  "change_id" UUID NOT NULL,
  "machine_id" UUID NOT NULL,
  "state" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "remediation_skip_pkey" PRIMARY KEY ("change_id", "machine_id")
);
ALTER TABLE "remediation_skip" ADD CONSTRAINT "remediation_skip_change_id_fkey"
  FOREIGN KEY ("change_id") REFERENCES "change" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What a check found ill in the middle of its update in place: it stays on record when the machine is gone.
ALTER TABLE "machine_progress" ADD COLUMN "ill_at" TIMESTAMPTZ(3);

-- Those few are looked at every two seconds.
CREATE INDEX "machine_check_failed" ON "machine" ("cluster_id") WHERE "check_failed_since" IS NOT NULL;
CREATE INDEX "machine_skip_mark" ON "machine" ("cluster_id") WHERE "skip_mark" IS NOT NULL;
CREATE INDEX "change_skips" ON "change" ("cluster_id") WHERE "skips_at" IS NOT NULL;
