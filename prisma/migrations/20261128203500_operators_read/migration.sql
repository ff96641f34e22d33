-- Whether what ClusterOperators say is of now, as far as a worker of before knew.
ALTER TABLE "cluster_updates" ADD COLUMN "operators_read" TEXT NOT NULL DEFAULT 'read';
