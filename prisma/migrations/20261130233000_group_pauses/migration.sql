-- What ends between the first look and the triggers would stay open for ever.
LOCK TABLE "machine_group" IN SHARE ROW EXCLUSIVE MODE;

-- When people paused groups themselves, as far as Drydock knows, and who that was by managed fields.
CREATE TABLE "group_pause" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
  "cluster_id" UUID NOT NULL,
  "group_id" UUID NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
  "until" TIMESTAMPTZ(3),
  "by" TEXT,
  CONSTRAINT "group_pause_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "group_pause_of" ON "group_pause" ("cluster_id", "group_id", "since");
CREATE UNIQUE INDEX "group_pause_now" ON "group_pause" ("cluster_id", "group_id") WHERE "until" IS NULL;

INSERT INTO "group_pause" ("cluster_id", "group_id", "since")
  SELECT "cluster_id", "id", coalesce("paused_seen_at", now()) FROM "machine_group" WHERE "paused";

-- A row that goes is one that nobody follows any more: from then on nobody knows.
CREATE FUNCTION "group_pause_kept"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.paused THEN
    UPDATE group_pause SET until = clock_timestamp() WHERE cluster_id = OLD.cluster_id AND group_id = OLD.id AND until IS NULL;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.paused THEN
    INSERT INTO group_pause (cluster_id, group_id, "by") VALUES (NEW.cluster_id, NEW.id, NEW.own_pause->>'by') ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "group_pause_begins" AFTER INSERT ON "machine_group" FOR EACH ROW
  WHEN (NEW."paused") EXECUTE FUNCTION "group_pause_kept"();
CREATE TRIGGER "group_pause_changes" AFTER UPDATE ON "machine_group" FOR EACH ROW
  WHEN ((NEW."paused", NEW."cluster_id", NEW."id") IS DISTINCT FROM (OLD."paused", OLD."cluster_id", OLD."id"))
  EXECUTE FUNCTION "group_pause_kept"();
CREATE TRIGGER "group_pause_ends" AFTER DELETE ON "machine_group" FOR EACH ROW
  WHEN (OLD."paused") EXECUTE FUNCTION "group_pause_kept"();
