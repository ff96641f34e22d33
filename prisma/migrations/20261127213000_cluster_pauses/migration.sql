-- What ends between the first look and the triggers would stay open for ever.
LOCK TABLE "workload_cluster" IN SHARE ROW EXCLUSIVE MODE;

-- When whole Clusters were paused, as far as Drydock knows: what spans such a time took no longer for itself.
CREATE TABLE "cluster_pause" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
  "cluster_id" UUID NOT NULL,
  "namespace" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
  "until" TIMESTAMPTZ(3),
  CONSTRAINT "cluster_pause_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "cluster_pause_of" ON "cluster_pause" ("cluster_id", "namespace", "name", "since");
CREATE UNIQUE INDEX "cluster_pause_now" ON "cluster_pause" ("cluster_id", "namespace", "name") WHERE "until" IS NULL;

INSERT INTO "cluster_pause" ("cluster_id", "namespace", "name", "since")
  SELECT "cluster_id", "namespace", "name", coalesce("paused_seen_at", now()) FROM "workload_cluster" WHERE "paused";

-- A row that goes is one that nobody follows any more: from then on nobody knows.
CREATE FUNCTION "cluster_pause_kept"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.paused THEN
    UPDATE cluster_pause SET until = clock_timestamp()
      WHERE cluster_id = OLD.cluster_id AND namespace = OLD.namespace AND name = OLD.name AND until IS NULL;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.paused THEN
    INSERT INTO cluster_pause (cluster_id, namespace, name) VALUES (NEW.cluster_id, NEW.namespace, NEW.name) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "cluster_pause_begins" AFTER INSERT ON "workload_cluster" FOR EACH ROW
  WHEN (NEW."paused") EXECUTE FUNCTION "cluster_pause_kept"();
CREATE TRIGGER "cluster_pause_changes" AFTER UPDATE ON "workload_cluster" FOR EACH ROW
  WHEN ((NEW."paused", NEW."cluster_id", NEW."namespace", NEW."name") IS DISTINCT FROM (OLD."paused", OLD."cluster_id", OLD."namespace", OLD."name"))
  EXECUTE FUNCTION "cluster_pause_kept"();
CREATE TRIGGER "cluster_pause_ends" AFTER DELETE ON "workload_cluster" FOR EACH ROW
  WHEN (OLD."paused") EXECUTE FUNCTION "cluster_pause_kept"();
