-- What a machine went through stays on record when it goes: since when it was through, since when it is deleted, and who found it ill.
ALTER TABLE "machine_progress" ADD COLUMN "through_at" TIMESTAMPTZ(3);
ALTER TABLE "machine_progress" ADD COLUMN "deleting_at" TIMESTAMPTZ(3);
ALTER TABLE "machine_progress" ADD COLUMN "ill_by" TEXT;
