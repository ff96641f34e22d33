-- What a machine set or a machine of bare metal starts from is an address, and was kept with the credential in it. Of what was kept, the part that may
-- be one is masked; what is heard of is written anew, and masked as all else is.
CREATE FUNCTION "without_credentials"("said" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  -- A password may have a ? or a / in it.
  SELECT regexp_replace(regexp_replace(regexp_replace(said, '://[^\s"\\/?]*:[^\s"\\]*@', '://••••••@', 'g'),
    '://[^\s"\\?]*@', '://••••••@', 'g'), '(://[^\s"\\?]*[?])[^\s"\\]*', '\1••••••', 'g')
$$;

UPDATE "boot_image_set" SET "current" = "without_credentials"("current"), "reason" = "without_credentials"("reason"),
  "former" = "without_credentials"("former"::text)::jsonb
WHERE "current" ~ '://.*[@?]' OR "former"::text ~ '://.*[@?]';

UPDATE "machine" SET "boot_image" = "without_credentials"("boot_image") WHERE "boot_image" ~ '://.*[@?]';
UPDATE "node_image" SET "boot_image" = "without_credentials"("boot_image") WHERE "boot_image" ~ '://.*[@?]';
UPDATE "skew_action" SET "wish" = jsonb_set("wish", '{before}', "without_credentials"("wish"->>'before')::jsonb)
WHERE "wish"->>'before' ~ '://.*[@?]';

DROP FUNCTION "without_credentials";

-- On bare metal nothing that has the address of an image tells its age: all that is there is to be judged anew.
INSERT INTO "node_image_stale" ("cluster_id") SELECT "id" FROM "management_cluster";
