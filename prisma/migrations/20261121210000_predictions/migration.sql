-- What was foretold when somebody approved, and afterwards how many machines fared as foretold.
ALTER TABLE "decision" ADD COLUMN "plan" JSONB;
ALTER TABLE "change" ADD COLUMN "foretold" INTEGER, ADD COLUMN "as_foretold" INTEGER;
