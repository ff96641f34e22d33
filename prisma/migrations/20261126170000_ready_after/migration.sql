-- When a machine was first Ready after it was through: until then its change is not done, and no wave goes on by it.
ALTER TABLE "machine_progress" ADD COLUMN "ready_at" TIMESTAMPTZ(3);
UPDATE "machine_progress" SET "ready_at" = coalesce("finished_at", "through_at") WHERE "state" IN ('done', 'created');
