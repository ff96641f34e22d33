-- Of two images of one day the later build is the newer one. As lib/domain/skew/evidence has it (standsToRelease).
CREATE OR REPLACE FUNCTION "rhcos_place"("version" TEXT) RETURNS BIGINT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN version ~ '^4[0-9]{2,}[.]' THEN ARRAY[4, (regexp_match(version, '^4([0-9]+)'))[1]::bigint, 0] ELSE ARRAY[4, 19, 0] END
    || string_to_array(substring(version from '^[0-9]+(?:[.][0-9]+)+'), '.')::bigint[]
    || coalesce((regexp_match(version, '^[0-9]+(?:[.][0-9]+)+-([0-9]{1,9})(?![0-9])'))[1]::bigint, 0)
$$;

-- An image is outdated only where something tells that it is older: than the release's own version, or than every RHCOS version that the
-- release has for the platform; null: not told.
CREATE FUNCTION "boot_image_older"("dated" TEXT, "release" TEXT, "rhcos" JSONB) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN dated ~ '^[0-9]+[.][0-9]+[.][0-9]+$' AND release ~ '^[0-9]+[.][0-9]+[.][0-9]+$'
      THEN string_to_array(dated, '.')::bigint[] < string_to_array(release, '.')::bigint[]
    WHEN dated ~ '^RHCOS [0-9]+[.][0-9]+' AND jsonb_typeof(rhcos) = 'array'
      THEN (SELECT bool_and(rhcos_place(substr(dated, 7)) < rhcos_place(one)) FROM jsonb_array_elements_text(rhcos) one)
  END
$$;

-- All that is there is to be judged anew.
INSERT INTO "node_image_stale" ("cluster_id") SELECT "id" FROM "management_cluster";
