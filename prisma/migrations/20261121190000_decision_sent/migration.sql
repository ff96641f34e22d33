-- When a decision was first sent to the API server, and when it stopped to speak: what Cluster API may have been told
-- outlives the decision by the time that it remembers answers.
ALTER TABLE "decision" ADD COLUMN "sent_at" TIMESTAMPTZ(3), ADD COLUMN "voided_at" TIMESTAMPTZ(3);
UPDATE "decision" SET "sent_at" = coalesce("accepted_at", "recorded_at") WHERE "accepted_at" IS NOT NULL OR "state" = 'applying';
UPDATE "decision" SET "voided_at" = now() WHERE "state" = 'voided';

-- Many write it; none may forget.
CREATE FUNCTION "decision_voided"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.voided_at := now();
  RETURN NEW;
END
$$;
CREATE TRIGGER "decision_voided" BEFORE UPDATE OF "state" ON "decision" FOR EACH ROW
  WHEN (NEW.state = 'voided' AND OLD.state <> 'voided') EXECUTE FUNCTION "decision_voided"();
