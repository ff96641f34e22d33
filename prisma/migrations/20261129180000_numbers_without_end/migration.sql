-- Anybody may call an image anything: a number that is too long, in one name of one cluster, must stop no page and no write. Null: it is no
-- version that can be compared. Of a text that is no longer no number is too long. As before otherwise (migrations joining, older_images and
-- newer_images).
CREATE OR REPLACE FUNCTION "boot_image_below"("dated" TEXT, "ocp" TEXT, "rhel" TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN dated ~ '^[0-9]+\.[0-9]+\.[0-9]+$' THEN CASE WHEN length(dated) <= 20 AND length(ocp) <= 18 AND ocp ~ '^[0-9]+(\.[0-9]+)*$'
      THEN string_to_array(dated, '.')::bigint[] < string_to_array(ocp, '.')::bigint[] END
    WHEN length(dated) > 36 OR length(rhel) > 18 OR rhel !~ '^[0-9]+(\.[0-9]+)*$' THEN NULL
    WHEN dated ~ '^RHCOS [0-9]+\.[0-9]+\.[0-9]{8}-[0-9]+$'
      THEN (regexp_match(dated, '([0-9]+)\.([0-9]+)\.'))::bigint[] < string_to_array(rhel, '.')::bigint[]
    WHEN dated ~ '^RHCOS [0-9]+\.[0-9]{2,}\.[0-9]{12}-[0-9]+$'
      THEN (regexp_match(dated, '[0-9]+\.([0-9])([0-9]+)\.'))::bigint[] < string_to_array(rhel, '.')::bigint[]
  END
$$;

CREATE OR REPLACE FUNCTION "rhcos_place"("version" TEXT) RETURNS BIGINT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN version !~ '[0-9]{19}' THEN
    CASE WHEN version ~ '^4[0-9]{2,}[.]' THEN ARRAY[4, (regexp_match(version, '^4([0-9]+)'))[1]::bigint, 0] ELSE ARRAY[4, 19, 0] END
      || string_to_array(substring(version from '^[0-9]+(?:[.][0-9]+)+'), '.')::bigint[]
      || coalesce((regexp_match(version, '^[0-9]+(?:[.][0-9]+)+-([0-9]{1,9})(?![0-9])'))[1]::bigint, 0)
  END
$$;

CREATE OR REPLACE FUNCTION "boot_image_older"("dated" TEXT, "release" TEXT, "rhcos" JSONB) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN dated ~ '^[0-9]+[.][0-9]+[.][0-9]+$' AND release ~ '^[0-9]+[.][0-9]+[.][0-9]+$' THEN CASE WHEN length(dated) <= 20 AND length(release) <= 20
      THEN string_to_array(dated, '.')::bigint[] < string_to_array(release, '.')::bigint[] END
    WHEN dated ~ '^RHCOS [0-9]+[.][0-9]+' AND jsonb_typeof(rhcos) = 'array'
      THEN (SELECT bool_and(rhcos_place(substr(dated, 7)) < rhcos_place(one)) FROM jsonb_array_elements_text(rhcos) one)
  END
$$;

CREATE OR REPLACE FUNCTION "boot_image_newer"("dated" TEXT, "release" TEXT, "rhcos" JSONB) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN dated ~ '^[0-9]+[.][0-9]+[.][0-9]+$' AND release ~ '^[0-9]+[.][0-9]+[.][0-9]+$' THEN CASE WHEN length(dated) <= 20 AND length(release) <= 20
      THEN string_to_array(dated, '.')::bigint[] > string_to_array(release, '.')::bigint[] END
    WHEN dated ~ '^RHCOS [0-9]+[.][0-9]+' AND jsonb_typeof(rhcos) = 'array'
      THEN (SELECT bool_and(rhcos_place(substr(dated, 7)) > rhcos_place(one)) FROM jsonb_array_elements_text(rhcos) one)
  END
$$;

-- What an image is called on Azure is no certain word of its age: all that is there is to be judged anew.
INSERT INTO "node_image_stale" ("cluster_id") SELECT "id" FROM "management_cluster";
