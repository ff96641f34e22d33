-- By whom a machine goes, as it was judged when it began to: what is left of its change is another thing by then.
ALTER TABLE "machine_progress" ADD COLUMN "went_by" TEXT;
-- Since when a machine is being deleted, by the API server.
ALTER TABLE "machine" ADD COLUMN "deleting_since" TIMESTAMPTZ(3);
