-- What nodes started from, judged: by cluster, machine set and image (lib/db/queries/node-image-judged.ts). A page that asks would
-- have to group and judge all machines of the fleet. A cluster that has a mark in node_image_stale is judged when it is asked about,
-- whatever stands here of it, until a worker has written it anew: so that what is told is never old.
-- CreateTable
CREATE TABLE "node_image" (
    "id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "control_plane" BOOLEAN NOT NULL,
    "boot_image" TEXT,
    "platform" TEXT,
    "version" TEXT,
    "version_key" TEXT,
    "wanted" TEXT,
    "dated" TEXT,
    "dated_sure" TEXT,
    "verdict" TEXT NOT NULL,
    "machines" INTEGER NOT NULL,
    "nodes" INTEGER NOT NULL,
    "stuck" INTEGER NOT NULL,
    "oldest" TIMESTAMPTZ(3),
    "newest" TIMESTAMPTZ(3),

    CONSTRAINT "node_image_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "node_image_stale" (
    "id" BIGSERIAL NOT NULL,
    "cluster_id" UUID NOT NULL,

    CONSTRAINT "node_image_stale_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "node_image_cluster_id_idx" ON "node_image"("cluster_id");

-- Triggers set the marks, whoever writes, in the same transaction. A mark is only ever added, so that no writer waits for another.
-- Of what is written, only that counts which is grouped, judged or told.
CREATE FUNCTION "node_image_of_machine"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO node_image_stale (cluster_id) SELECT DISTINCT cluster_id FROM came WHERE provider = 'machine.openshift.io';
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO node_image_stale (cluster_id) SELECT DISTINCT cluster_id FROM gone WHERE provider = 'machine.openshift.io';
  ELSE
    INSERT INTO node_image_stale (cluster_id) SELECT DISTINCT x.cluster_id FROM (
      SELECT id, cluster_id, machine_set, control_plane, boot_image, boot_image_version, node, created_at,
        provisioned_since IS NOT NULL AND state = 'failed' AS stuck, count(*) FILTER (WHERE later) AS n, count(*) AS total
      FROM (SELECT true AS later, c.* FROM came c UNION ALL SELECT false, g.* FROM gone g) m
      WHERE provider = 'machine.openshift.io' GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9) x
    WHERE x.total <> 2 * x.n;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION "node_image_of_row"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO node_image_stale (cluster_id) SELECT DISTINCT cluster_id FROM came;
  ELSE
    INSERT INTO node_image_stale (cluster_id) SELECT DISTINCT cluster_id FROM gone;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION "node_image_of_set"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO node_image_stale (cluster_id) SELECT DISTINCT x.cluster_id FROM (
    SELECT cluster_id, id, kind, namespace, name, state, current, wanted, dated, dated_sure,
      count(*) FILTER (WHERE later) AS n, count(*) AS total
    FROM (SELECT true AS later, c.* FROM came c UNION ALL SELECT false, g.* FROM gone g) y GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) x
  WHERE x.total <> 2 * x.n;
  RETURN NULL;
END
$$;

CREATE FUNCTION "node_image_of_cluster"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO node_image_stale (cluster_id) SELECT DISTINCT x.cluster_id FROM (
    SELECT cluster_id, platform, version, version_key, floor_ocp, floor_rhel, evidence->>'streamVersion' AS stream,
      count(*) FILTER (WHERE later) AS n, count(*) AS total
    FROM (SELECT true AS later, c.* FROM came c UNION ALL SELECT false, g.* FROM gone g) y GROUP BY 1, 2, 3, 4, 5, 6, 7) x
  WHERE x.total <> 2 * x.n;
  RETURN NULL;
END
$$;

CREATE FUNCTION "node_image_of_node"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO node_image_stale (cluster_id) SELECT DISTINCT x.cluster_id FROM (
    SELECT cluster_id, name,
      count(*) FILTER (WHERE later) AS n, count(*) AS total
    FROM (SELECT true AS later, c.* FROM came c UNION ALL SELECT false, g.* FROM gone g) y GROUP BY 1, 2) x
  WHERE x.total <> 2 * x.n;
  RETURN NULL;
END
$$;

-- TRUNCATE tells no trigger which rows went.
CREATE FUNCTION "node_image_of_all"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO node_image_stale (cluster_id) SELECT id FROM management_cluster UNION SELECT cluster_id FROM node_image;
  RETURN NULL;
END
$$;

CREATE TRIGGER "node_image_insert" AFTER INSERT ON "machine" REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_machine"();
CREATE TRIGGER "node_image_update" AFTER UPDATE ON "machine" REFERENCING OLD TABLE AS gone NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_machine"();
CREATE TRIGGER "node_image_delete" AFTER DELETE ON "machine" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_machine"();
CREATE TRIGGER "node_image_truncate" AFTER TRUNCATE ON "machine" FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_all"();

CREATE TRIGGER "node_image_insert" AFTER INSERT ON "boot_image_set" REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_row"();
CREATE TRIGGER "node_image_update" AFTER UPDATE ON "boot_image_set" REFERENCING OLD TABLE AS gone NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_set"();
CREATE TRIGGER "node_image_delete" AFTER DELETE ON "boot_image_set" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_row"();
CREATE TRIGGER "node_image_truncate" AFTER TRUNCATE ON "boot_image_set" FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_all"();

CREATE TRIGGER "node_image_insert" AFTER INSERT ON "openshift_cluster" REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_row"();
CREATE TRIGGER "node_image_update" AFTER UPDATE ON "openshift_cluster" REFERENCING OLD TABLE AS gone NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_cluster"();
CREATE TRIGGER "node_image_delete" AFTER DELETE ON "openshift_cluster" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_row"();
CREATE TRIGGER "node_image_truncate" AFTER TRUNCATE ON "openshift_cluster" FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_all"();

CREATE TRIGGER "node_image_insert" AFTER INSERT ON "config_node" REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_row"();
CREATE TRIGGER "node_image_update" AFTER UPDATE ON "config_node" REFERENCING OLD TABLE AS gone NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_node"();
CREATE TRIGGER "node_image_delete" AFTER DELETE ON "config_node" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_row"();
CREATE TRIGGER "node_image_truncate" AFTER TRUNCATE ON "config_node" FOR EACH STATEMENT EXECUTE FUNCTION "node_image_of_all"();

-- All that is there is to be judged.
INSERT INTO "node_image_stale" ("cluster_id") SELECT "id" FROM "management_cluster";
