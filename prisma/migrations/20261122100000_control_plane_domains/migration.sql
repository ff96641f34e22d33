-- The failure domains that a Cluster lists for control planes decide which of their machines goes next.
ALTER TABLE "workload_cluster" ADD COLUMN "domains" JSONB;
