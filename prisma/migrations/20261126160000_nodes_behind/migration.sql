-- How many of a workload cluster's machines are as their set wants them, and have a node that has not what its pool wants. Fleet counts
-- them as outdated; to look at each node for a page takes too long. Counted by the worker, of the clusters that have a mark.
-- CreateTable
CREATE TABLE "nodes_behind" (
    "cluster_id" UUID NOT NULL,
    "workload_cluster" TEXT NOT NULL,
    "behind" INTEGER NOT NULL,

    CONSTRAINT "nodes_behind_pkey" PRIMARY KEY ("cluster_id", "workload_cluster")
);

-- CreateTable
CREATE TABLE "nodes_behind_stale" (
    "id" BIGSERIAL NOT NULL,
    "cluster_id" UUID NOT NULL,

    CONSTRAINT "nodes_behind_stale_pkey" PRIMARY KEY ("id")
);

-- Triggers set the marks, whoever writes, in the same transaction. A mark is only ever added, so that no writer waits for another.
-- Of what is written, only that counts which is counted.
CREATE FUNCTION "nodes_behind_of_row"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO nodes_behind_stale (cluster_id) SELECT DISTINCT cluster_id FROM came;
  ELSE
    INSERT INTO nodes_behind_stale (cluster_id) SELECT DISTINCT cluster_id FROM gone;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION "nodes_behind_of_machine"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO nodes_behind_stale (cluster_id) SELECT DISTINCT x.cluster_id FROM (
    SELECT id, cluster_id, workload_cluster, node, verdict = 'up-to-date' AND up_to_date IS NOT FALSE AS current,
      count(*) FILTER (WHERE later) AS n, count(*) AS total
    FROM (SELECT true AS later, c.* FROM came c UNION ALL SELECT false, g.* FROM gone g) m GROUP BY 1, 2, 3, 4, 5) x
  WHERE x.total <> 2 * x.n;
  RETURN NULL;
END
$$;

CREATE FUNCTION "nodes_behind_of_node"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO nodes_behind_stale (cluster_id) SELECT DISTINCT x.cluster_id FROM (
    SELECT id, cluster_id, pool, name, phase = 'updated' AS through, count(*) FILTER (WHERE later) AS n, count(*) AS total
    FROM (SELECT true AS later, c.* FROM came c UNION ALL SELECT false, g.* FROM gone g) y GROUP BY 1, 2, 3, 4, 5) x
  WHERE x.total <> 2 * x.n;
  RETURN NULL;
END
$$;

CREATE FUNCTION "nodes_behind_of_pool"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO nodes_behind_stale (cluster_id) SELECT DISTINCT x.cluster_id FROM (
    SELECT id, cluster_id, name, updated < machines AS some, updated = 0 AS none, count(*) FILTER (WHERE later) AS n, count(*) AS total
    FROM (SELECT true AS later, c.* FROM came c UNION ALL SELECT false, g.* FROM gone g) y GROUP BY 1, 2, 3, 4, 5) x
  WHERE x.total <> 2 * x.n;
  RETURN NULL;
END
$$;

-- TRUNCATE tells no trigger which rows went.
CREATE FUNCTION "nodes_behind_of_all"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO nodes_behind_stale (cluster_id) SELECT id FROM management_cluster UNION SELECT cluster_id FROM nodes_behind;
  RETURN NULL;
END
$$;

CREATE TRIGGER "nodes_behind_insert" AFTER INSERT ON "machine" REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_row"();
CREATE TRIGGER "nodes_behind_update" AFTER UPDATE ON "machine" REFERENCING OLD TABLE AS gone NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_machine"();
CREATE TRIGGER "nodes_behind_delete" AFTER DELETE ON "machine" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_row"();
CREATE TRIGGER "nodes_behind_truncate" AFTER TRUNCATE ON "machine" FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_all"();

CREATE TRIGGER "nodes_behind_insert" AFTER INSERT ON "config_node" REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_row"();
CREATE TRIGGER "nodes_behind_update" AFTER UPDATE ON "config_node" REFERENCING OLD TABLE AS gone NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_node"();
CREATE TRIGGER "nodes_behind_delete" AFTER DELETE ON "config_node" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_row"();
CREATE TRIGGER "nodes_behind_truncate" AFTER TRUNCATE ON "config_node" FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_all"();

CREATE TRIGGER "nodes_behind_insert" AFTER INSERT ON "config_pool" REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_row"();
CREATE TRIGGER "nodes_behind_update" AFTER UPDATE ON "config_pool" REFERENCING OLD TABLE AS gone NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_pool"();
CREATE TRIGGER "nodes_behind_delete" AFTER DELETE ON "config_pool" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_row"();
CREATE TRIGGER "nodes_behind_truncate" AFTER TRUNCATE ON "config_pool" FOR EACH STATEMENT EXECUTE FUNCTION "nodes_behind_of_all"();

-- All that is there is to be counted.
INSERT INTO "nodes_behind_stale" ("cluster_id") SELECT "id" FROM "management_cluster";
