-- That an approval expired goes on record, once. What expired before is told no more.
ALTER TABLE "approval" ADD COLUMN "ran_out_at" TIMESTAMPTZ(3);
UPDATE "approval" SET "ran_out_at" = "expires_at" WHERE "expires_at" <= now();
CREATE INDEX "approval_expiring_idx" ON "approval" ("expires_at") WHERE "ran_out_at" IS NULL AND "expires_at" IS NOT NULL AND NOT "begun";
