-- Counts of machines by everything of few values that lists narrow by and pages count by. Facets, totals and the fleet
-- read these some thousand rows instead of every machine. Triggers keep them, whoever writes machines, in the same
-- transaction. A writer adds to a row that nobody else is changing and makes another where there is none: writers never
-- wait for each other here, and readers sum up.
-- CreateTable
CREATE TABLE "machine_tally" (
    "id" BIGSERIAL NOT NULL,
    "cluster_id" UUID NOT NULL,
    "workload_cluster" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "control_plane" BOOLEAN NOT NULL,
    "phase" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "verdict" TEXT NOT NULL,
    "version_key" TEXT NOT NULL,
    "failure_domain" TEXT NOT NULL,
    "error" BOOLEAN NOT NULL,
    "ready" BOOLEAN NOT NULL,
    "available" BOOLEAN NOT NULL,
    "outdated" BOOLEAN NOT NULL,
    "n" INTEGER NOT NULL,

    CONSTRAINT "machine_tally_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 50);

-- CreateIndex
CREATE INDEX "machine_tally_idx" ON "machine_tally"("cluster_id", "workload_cluster", "version_key", "failure_domain", "state");

-- Versions sort by bytes, whatever the language of the database.
ALTER TABLE "machine" ALTER COLUMN "version_key" TYPE TEXT COLLATE "C";
ALTER TABLE "machine_tally" ALTER COLUMN "version_key" TYPE TEXT COLLATE "C";

CREATE FUNCTION "machine_tally_add"("deltas" "machine_tally"[]) RETURNS void LANGUAGE sql AS $$
  WITH d AS (
    SELECT cluster_id, workload_cluster, namespace, control_plane, phase, state, verdict, version_key, failure_domain, error,
           ready, available, outdated, sum(n)::int AS n
    FROM unnest(deltas) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 HAVING sum(n) <> 0
  ), mine AS (
    SELECT d.*, x.id, x.n AS was FROM d LEFT JOIN LATERAL (
      SELECT t.id, t.n FROM machine_tally t
      WHERE t.cluster_id = d.cluster_id AND t.workload_cluster = d.workload_cluster AND t.version_key = d.version_key
        AND t.failure_domain = d.failure_domain AND t.state = d.state AND t.phase = d.phase AND t.verdict = d.verdict
        AND t.namespace = d.namespace AND t.control_plane = d.control_plane AND t.error = d.error AND t.ready = d.ready
        AND t.available = d.available AND t.outdated = d.outdated
      LIMIT 1 FOR UPDATE SKIP LOCKED) x ON true
  ), changed AS (
    UPDATE machine_tally t SET n = m.was + m.n FROM mine m WHERE t.id = m.id AND m.was + m.n <> 0
  ), gone AS (
    DELETE FROM machine_tally t USING mine m WHERE t.id = m.id AND m.was + m.n = 0
  )
  INSERT INTO machine_tally (cluster_id, workload_cluster, namespace, control_plane, phase, state, verdict, version_key,
    failure_domain, error, ready, available, outdated, n)
  SELECT cluster_id, workload_cluster, namespace, control_plane, phase, state, verdict, version_key, failure_domain, error,
    ready, available, outdated, n FROM mine WHERE id IS NULL
$$;

-- One machine as a difference of its count.
CREATE FUNCTION "machine_tally_of"("m" "machine", "n" INTEGER) RETURNS "machine_tally" LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(0, m.cluster_id, m.workload_cluster, m.namespace, m.control_plane, m.phase, m.state, m.verdict,
    coalesce(m.version_key, ''), coalesce(m.failure_domain, ''), m.error IS NOT NULL, m.ready, m.available,
    m.verdict <> 'up-to-date' OR m.up_to_date IS FALSE, n)::machine_tally
$$;

CREATE FUNCTION "machine_tally_follow"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM machine_tally_add(array_agg(machine_tally_of(came::machine, 1))) FROM came;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM machine_tally_add(array_agg(machine_tally_of(gone::machine, -1))) FROM gone;
  ELSE
    PERFORM machine_tally_add(array_agg(d)) FROM (
      SELECT machine_tally_of(came::machine, 1) AS d FROM came UNION ALL SELECT machine_tally_of(gone::machine, -1) FROM gone) x;
  END IF;
  RETURN NULL;
END
$$;

-- Keys of releases end so from now on; the worker's next list writes those of pre-releases.
UPDATE "machine" SET "version_key" = "version_key" || '~' WHERE "version_key" IS NOT NULL AND "version" NOT LIKE '%-%';

SELECT machine_tally_add(array_agg(machine_tally_of(m, 1))) FROM machine m;

CREATE TRIGGER "machine_tally_insert" AFTER INSERT ON "machine" REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "machine_tally_follow"();
CREATE TRIGGER "machine_tally_update" AFTER UPDATE ON "machine" REFERENCING OLD TABLE AS gone NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "machine_tally_follow"();
CREATE TRIGGER "machine_tally_delete" AFTER DELETE ON "machine" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "machine_tally_follow"();

-- TRUNCATE tells no trigger which rows went.
CREATE FUNCTION "machine_tally_empty"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM machine_tally;
  RETURN NULL;
END
$$;
CREATE TRIGGER "machine_tally_truncate" AFTER TRUNCATE ON "machine"
  FOR EACH STATEMENT EXECUTE FUNCTION "machine_tally_empty"();

-- Machines of a kind, without reading the others.
CREATE INDEX "machine_class_idx" ON "machine"("cluster_id", "workload_cluster", "control_plane", "state", "phase", "verdict",
  (coalesce("version_key", '')), (coalesce("failure_domain", '')), ("error" IS NOT NULL));
DROP INDEX "machine_facets_idx";

-- Every order of the list is one index, read in either direction, so that a page far down costs as much as the first one.
CREATE INDEX "machine_worst_idx" ON "machine"((-"severity"), "name", "id");
CREATE INDEX "machine_version_idx" ON "machine"((coalesce("version_key", '')), "name", "id");
DROP INDEX "machine_severity_name_id_idx";

-- How often each phase and failure domain occurs, as filters compare them.
CREATE STATISTICS "machine_phase_stats" ON (lower("phase")) FROM "machine";
CREATE STATISTICS "machine_zone_stats" ON (lower("failure_domain")) FROM "machine";

-- Words are found by their letters where the server has pg_trgm and lets us use it; elsewhere they are looked for in every row.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX "machine_text_idx" ON "machine" USING gin ("name" gin_trgm_ops, "node" gin_trgm_ops, lower("error") gin_trgm_ops,
    "group_name" gin_trgm_ops, lower("boot_image") gin_trgm_ops) WITH (gin_pending_list_limit = 512);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'Without pg_trgm (%), words are looked for in every row.', SQLERRM;
END
$$;
