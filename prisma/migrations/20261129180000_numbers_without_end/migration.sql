-- Anybody may call an image anything: a number that is too long, in one name of one cluster, must stop no page and no write. Null: it is no
-- version that can be compared.
CREATE FUNCTION "version_numbers"("version" TEXT) RETURNS BIGINT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN version ~ '^[0-9]{1,18}(?:[.][0-9]{1,18})*$' THEN string_to_array(version, '.')::bigint[] END
$$;

-- As before otherwise (migration joining).
CREATE OR REPLACE FUNCTION "boot_image_below"("dated" TEXT, "ocp" TEXT, "rhel" TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN dated ~ '^[0-9]+\.[0-9]+\.[0-9]+$' THEN version_numbers(dated) < version_numbers(ocp)
    WHEN dated ~ '^RHCOS [0-9]+\.[0-9]+\.[0-9]{8}-[0-9]+$'
      THEN version_numbers(substring(dated from '([0-9]+\.[0-9]+)\.')) < version_numbers(rhel)
    WHEN dated ~ '^RHCOS [0-9]+\.[0-9]{2,}\.[0-9]{12}-[0-9]+$'
      THEN version_numbers(array_to_string(regexp_match(dated, '[0-9]+\.([0-9])([0-9]+)\.'), '.')) < version_numbers(rhel)
  END
$$;

-- As before otherwise (migration older_images).
CREATE OR REPLACE FUNCTION "rhcos_place"("version" TEXT) RETURNS BIGINT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN version ~ '^[0-9]{1,18}(?:[.][0-9]{1,18})+(?![.]?[0-9])' THEN
    CASE WHEN version ~ '^4[0-9]{2,}[.]' THEN version_numbers('4.' || substring(version from '^4([0-9]+)') || '.0') ELSE ARRAY[4, 19, 0]::bigint[] END
      || version_numbers(substring(version from '^[0-9]+(?:[.][0-9]+)+'))
      || coalesce((regexp_match(version, '^[0-9]+(?:[.][0-9]+)+-([0-9]{1,9})(?![0-9])'))[1]::bigint, 0)
  END
$$;

CREATE OR REPLACE FUNCTION "boot_image_older"("dated" TEXT, "release" TEXT, "rhcos" JSONB) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN dated ~ '^[0-9]+[.][0-9]+[.][0-9]+$' AND release ~ '^[0-9]+[.][0-9]+[.][0-9]+$'
      THEN version_numbers(dated) < version_numbers(release)
    WHEN dated ~ '^RHCOS [0-9]+[.][0-9]+' AND jsonb_typeof(rhcos) = 'array'
      THEN (SELECT bool_and(rhcos_place(substr(dated, 7)) < rhcos_place(one)) FROM jsonb_array_elements_text(rhcos) one)
  END
$$;

-- As before otherwise (migration newer_images).
CREATE OR REPLACE FUNCTION "boot_image_newer"("dated" TEXT, "release" TEXT, "rhcos" JSONB) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN dated ~ '^[0-9]+[.][0-9]+[.][0-9]+$' AND release ~ '^[0-9]+[.][0-9]+[.][0-9]+$'
      THEN version_numbers(dated) > version_numbers(release)
    WHEN dated ~ '^RHCOS [0-9]+[.][0-9]+' AND jsonb_typeof(rhcos) = 'array'
      THEN (SELECT bool_and(rhcos_place(substr(dated, 7)) > rhcos_place(one)) FROM jsonb_array_elements_text(rhcos) one)
  END
$$;

-- What an image is called on Azure is no certain word of its age: all that is there is to be judged anew.
INSERT INTO "node_image_stale" ("cluster_id") SELECT "id" FROM "management_cluster";
