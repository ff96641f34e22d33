-- What decides which machine of a set goes or moves first, besides its age.
ALTER TABLE "machine" ADD COLUMN "delete_marked" BOOLEAN NOT NULL DEFAULT false, ADD COLUMN "unhealthy" BOOLEAN NOT NULL DEFAULT false;
