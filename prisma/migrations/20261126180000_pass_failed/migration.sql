-- What the operator says of its last pass over machine sets, where that failed.
ALTER TABLE "openshift_cluster" ADD COLUMN "pass_failed" TEXT;
