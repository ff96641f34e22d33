-- That the operator has stood still for minutes in the middle of a pass over machine sets, in words.
ALTER TABLE "openshift_cluster" ADD COLUMN "pass_stuck" TEXT;
