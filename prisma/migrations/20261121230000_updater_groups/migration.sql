-- Which groups an updater is for, how it fares, and which one is at work on a machine.
ALTER TABLE "updater" ADD COLUMN "groups" JSONB,
  ADD COLUMN "asked_at" TIMESTAMPTZ(3),
  ADD COLUMN "answered_ms" INTEGER,
  ADD COLUMN "failing_since" TIMESTAMPTZ(3),
  ADD COLUMN "last_error" TEXT;

CREATE TABLE "updater_call" (
  "id" BIGSERIAL NOT NULL,
  "updater_id" UUID NOT NULL,
  "hook" TEXT NOT NULL,
  "answer" TEXT NOT NULL,
  "message" TEXT NOT NULL,
  "ms" INTEGER NOT NULL,
  "count" INTEGER NOT NULL DEFAULT 1,
  "first_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "updater_call_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "updater_call_updater_id_id_idx" ON "updater_call"("updater_id", "id");
ALTER TABLE "updater_call" ADD CONSTRAINT "updater_call_updater_id_fkey"
  FOREIGN KEY ("updater_id") REFERENCES "updater"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "machine_progress" ADD COLUMN "updater" TEXT,
  ADD COLUMN "updaters_done" TEXT[] DEFAULT ARRAY[]::TEXT[];
