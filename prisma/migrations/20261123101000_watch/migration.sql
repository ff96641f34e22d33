-- Where an API server can carry no latch, Drydock watches governed groups and pauses what changed.
ALTER TABLE "management_cluster" ADD COLUMN "watch_since" TIMESTAMPTZ(3),
ADD COLUMN "watch_fence" BIGINT,
ADD COLUMN "watch_looked_at" TIMESTAMPTZ(3);

ALTER TABLE "machine_group" ADD COLUMN "watched" TEXT,
ADD COLUMN "watched_decision" UUID,
ADD COLUMN "watch_trouble" TEXT;
