-- Under which decision a machine began: the one that was sent, and in force, when its beginning was written. What begins without one
-- (a node that slips after an approval was taken back, or before one was given) began by nobody's word. No clocks are compared.
ALTER TABLE "machine_progress" ADD COLUMN "begun_by" UUID;

UPDATE "machine_progress" p SET "begun_by" = (
  SELECT d."id" FROM "decision" d WHERE d."change_id" = p."change_id" AND d."mode" <> 'reject' AND d."sent_at" <= p."started_at"
    AND (d."voided_at" IS NULL OR d."voided_at" >= p."started_at")
  ORDER BY d."recorded_at" DESC LIMIT 1)
WHERE p."started_at" IS NOT NULL
  AND EXISTS (SELECT 1 FROM "change" c WHERE c."id" = p."change_id" AND c."state" IN ('waiting', 'rejected', 'approved', 'running', 'stuck'));

CREATE INDEX "machine_progress_begun_idx" ON "machine_progress"("change_id", "begun_by") WHERE "begun_by" IS NOT NULL;

CREATE FUNCTION "progress_begins"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."begun_by" := (
    SELECT d."id" FROM "decision" d WHERE d."change_id" = NEW."change_id" AND d."mode" <> 'reject' AND d."sent_at" IS NOT NULL
      AND d."state" IN ('recorded', 'applying', 'accepted', 'seen')
    ORDER BY d."recorded_at" DESC LIMIT 1);
  RETURN NEW;
END
$$;
CREATE TRIGGER "progress_begins_insert" BEFORE INSERT ON "machine_progress" FOR EACH ROW
  WHEN (NEW."started_at" IS NOT NULL) EXECUTE FUNCTION "progress_begins"();
CREATE TRIGGER "progress_begins_update" BEFORE UPDATE ON "machine_progress" FOR EACH ROW
  WHEN (NEW."started_at" IS NOT NULL AND OLD."started_at" IS NULL) EXECUTE FUNCTION "progress_begins"();

-- A decision that was never accepted let nothing go.
CREATE OR REPLACE FUNCTION "begun_since_let_go"(change UUID) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM "machine_progress" p JOIN "decision" d ON d."id" = p."begun_by"
    WHERE p."change_id" = change AND d."accepted_at" IS NOT NULL)
$$;
