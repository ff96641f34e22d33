-- Machines are written by the thousand, and each was looked up in management_cluster for its foreign key. Only the owner of a
-- cluster's lease writes them, with that lease locked, and the lease's own foreign key says that the cluster is there.
ALTER TABLE "machine" DROP CONSTRAINT "machine_cluster_id_fkey";

CREATE FUNCTION "machine_without_cluster"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM machine WHERE cluster_id = OLD.id;
  RETURN NULL;
END
$$;
-- Triggers go by name: foreign keys ("RI_…") first. The lease is gone by then, and whoever wrote with it has ended.
CREATE TRIGGER "machine_without_cluster" AFTER DELETE ON "management_cluster"
  FOR EACH ROW EXECUTE FUNCTION "machine_without_cluster"();

-- One text for all columns that words are looked for in: letters that several of them have are kept once.
DO $$
BEGIN
  DROP INDEX IF EXISTS "machine_text_idx";
  CREATE INDEX "machine_text_idx" ON "machine" USING gin (("name" || E'\n' || coalesce("node", '') || E'\n'
    || coalesce("group_name", '') || E'\n' || lower(coalesce("error", '')) || E'\n' || lower(coalesce("boot_image", ''))) gin_trgm_ops)
    WITH (gin_pending_list_limit = 2048);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'Without pg_trgm (%), words are looked for in every row.', SQLERRM;
END
$$;
