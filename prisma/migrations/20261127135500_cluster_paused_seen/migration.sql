-- A Cluster does not say since when it is paused: that is as old as Drydock knows of it.
ALTER TABLE "workload_cluster" ADD COLUMN "paused_seen_at" TIMESTAMPTZ(3);
UPDATE "workload_cluster" SET "paused_seen_at" = now() WHERE "paused";

CREATE TRIGGER "paused_first_seen" BEFORE INSERT ON "workload_cluster" FOR EACH ROW
  WHEN (NEW."paused") EXECUTE FUNCTION "paused_seen"();
CREATE TRIGGER "paused_seen_anew" BEFORE UPDATE ON "workload_cluster" FOR EACH ROW
  WHEN (NEW."paused" IS DISTINCT FROM OLD."paused" OR NEW."id" <> OLD."id") EXECUTE FUNCTION "paused_seen"();
