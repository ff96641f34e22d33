-- Which object a decision was made about, one made anew under its name being another; and what was stored of it.
ALTER TABLE "skew_action" ADD COLUMN "uid" TEXT,
ADD COLUMN "stored_version" TEXT;

-- A decision is seen where the rows are of what was stored, or newer: until they are written anew, nothing is.
ALTER TABLE "config_pool" ADD COLUMN "generation" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "paused_by" TEXT;
ALTER TABLE "cluster_updates" ADD COLUMN "acks_version" TEXT;
ALTER TABLE "admin_gate" ADD COLUMN "acked_by" TEXT;
