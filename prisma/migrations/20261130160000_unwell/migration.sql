-- What its manager said of an old control plane machine that was not well: Cluster API deletes such a one instead of updating it in place.
ALTER TABLE "machine_progress" ADD COLUMN "unwell" TEXT;
