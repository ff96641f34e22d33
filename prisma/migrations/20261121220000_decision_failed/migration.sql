-- A failed decision stops to speak as a voided one does; one that is retried speaks again.
CREATE OR REPLACE FUNCTION "decision_voided"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.voided_at := CASE WHEN NEW.state IN ('voided', 'failed') THEN coalesce(OLD.voided_at, now()) END;
  RETURN NEW;
END
$$;
DROP TRIGGER "decision_voided" ON "decision";
CREATE TRIGGER "decision_voided" BEFORE UPDATE OF "state" ON "decision" FOR EACH ROW
  WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION "decision_voided"();
UPDATE "decision" SET "voided_at" = now() WHERE "state" = 'failed' AND "voided_at" IS NULL;
