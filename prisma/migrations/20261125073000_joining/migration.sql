-- Machines whose instance is there without a node, and which image each machine started from.
ALTER TABLE "machine" ADD COLUMN "boot_image_version" TEXT,
  ADD COLUMN "provisioned_since" TIMESTAMPTZ(3),
  ADD COLUMN "joining" JSONB;

-- Nodes by the image they started from, and the machines that started from the same one: told by the Machines of OpenShift.
CREATE INDEX "machine_image_idx" ON "machine" ("cluster_id", "boot_image", "machine_set")
  INCLUDE ("boot_image_version", "control_plane", "created_at", "node", "provisioned_since", "state")
  WHERE "provider" = 'machine.openshift.io';

-- Whether an image is older than the oldest that a release accepts, as lib/domain/skew has it (standing): null where that cannot be read.
CREATE FUNCTION "boot_image_below"("dated" TEXT, "ocp" TEXT, "rhel" TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN dated ~ '^[0-9]+\.[0-9]+\.[0-9]+$' THEN string_to_array(dated, '.')::bigint[] < string_to_array(ocp, '.')::bigint[]
    WHEN dated ~ '^RHCOS [0-9]+\.[0-9]+\.[0-9]{8}-[0-9]+$'
      THEN (regexp_match(dated, '([0-9]+)\.([0-9]+)\.'))::bigint[] < string_to_array(rhel, '.')::bigint[]
    WHEN dated ~ '^RHCOS [0-9]+\.[0-9]{2,}\.[0-9]{12}-[0-9]+$'
      THEN (regexp_match(dated, '[0-9]+\.([0-9])([0-9]+)\.'))::bigint[] < string_to_array(rhel, '.')::bigint[]
  END
$$;
