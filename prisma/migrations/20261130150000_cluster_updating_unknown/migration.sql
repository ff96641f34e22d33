-- Where ClusterVersion is not read, whether the cluster is being updated is not known.
ALTER TABLE "config_pool" ALTER COLUMN "cluster_updating" DROP NOT NULL, ALTER COLUMN "cluster_updating" DROP DEFAULT;
UPDATE "config_pool" SET "cluster_updating" = NULL WHERE "wanted_release" IS NULL;
