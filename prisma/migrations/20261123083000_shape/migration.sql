-- How long nodes of a group are drained and volumes detached at most, as it says; null: it does not.
ALTER TABLE "machine_group" ADD COLUMN "drain_seconds" INTEGER;
ALTER TABLE "machine_group" ADD COLUMN "detach_seconds" INTEGER;

-- What policies want of its group's surge, order and time-outs, and what came of writing that (lib/services/policies/shape.ts).
ALTER TABLE "change" ADD COLUMN "shape" JSONB;
