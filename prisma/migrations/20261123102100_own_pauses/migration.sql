-- Of a pause by spec.paused no manager says since when: it is as old as Drydock knows of it.
ALTER TABLE "machine_group" ADD COLUMN "paused_seen_at" TIMESTAMPTZ(3);
UPDATE "machine_group" SET "paused_seen_at" = now() WHERE "paused";

CREATE FUNCTION "paused_seen"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."paused_seen_at" := CASE WHEN NEW."paused" THEN now() END;
  RETURN NEW;
END $$;
CREATE TRIGGER "paused_first_seen" BEFORE INSERT ON "machine_group" FOR EACH ROW
  WHEN (NEW."paused") EXECUTE FUNCTION "paused_seen"();
CREATE TRIGGER "paused_seen_anew" BEFORE UPDATE ON "machine_group" FOR EACH ROW
  WHEN (NEW."paused" IS DISTINCT FROM OLD."paused" OR NEW."id" <> OLD."id") EXECUTE FUNCTION "paused_seen"();

-- Held changes of these are looked for every half minute.
CREATE INDEX "machine_group_paused" ON "machine_group" ("cluster_id") WHERE "paused";
