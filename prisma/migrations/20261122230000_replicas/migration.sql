-- How many machines the group wanted when it was approved, and when it was decided: fewer by then were never shown.
ALTER TABLE "approval" ADD COLUMN "replicas" INTEGER;
ALTER TABLE "decision" ADD COLUMN "replicas" INTEGER;
