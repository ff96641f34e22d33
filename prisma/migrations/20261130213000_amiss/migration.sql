-- What health checks may count of a machine is not as it should be, and since when.
ALTER TABLE "machine" ADD COLUMN "amiss" JSONB;
