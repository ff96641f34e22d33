-- An image that is newer than every one of the release is not outdated. As lib/domain/skew/evidence has it (standsToRelease).
CREATE FUNCTION "rhcos_place"("version" TEXT) RETURNS BIGINT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN version ~ '^4[0-9]{2,}[.]' THEN ARRAY[4, (regexp_match(version, '^4([0-9]+)'))[1]::bigint, 0] ELSE ARRAY[4, 19, 0] END
    || string_to_array(substring(version from '^[0-9]+(?:[.][0-9]+)+'), '.')::bigint[]
$$;

-- Against the release's own version, or the RHCOS versions that it has for the platform; null: not told.
CREATE FUNCTION "boot_image_newer"("dated" TEXT, "release" TEXT, "rhcos" JSONB) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN dated ~ '^[0-9]+[.][0-9]+[.][0-9]+$' AND release ~ '^[0-9]+[.][0-9]+[.][0-9]+$'
      THEN string_to_array(dated, '.')::bigint[] > string_to_array(release, '.')::bigint[]
    WHEN dated ~ '^RHCOS [0-9]+[.][0-9]+' AND jsonb_typeof(rhcos) = 'array'
      THEN (SELECT bool_and(rhcos_place(substr(dated, 7)) > rhcos_place(one)) FROM jsonb_array_elements_text(rhcos) one)
  END
$$;

CREATE OR REPLACE FUNCTION "node_image_of_cluster"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO node_image_stale (cluster_id) SELECT DISTINCT x.cluster_id FROM (
    SELECT cluster_id, platform, version, version_key, floor_ocp, floor_rhel, evidence->>'streamVersion' AS stream, evidence->>'rhcos' AS rhcos,
      count(*) FILTER (WHERE later) AS n, count(*) AS total
    FROM (SELECT true AS later, c.* FROM came c UNION ALL SELECT false, g.* FROM gone g) y GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) x
  WHERE x.total <> 2 * x.n;
  RETURN NULL;
END
$$;
