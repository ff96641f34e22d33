-- Labels of machine sets, which a selector of managed boot images goes by.
ALTER TABLE "boot_image_set" ADD COLUMN "labels" JSONB NOT NULL DEFAULT '{}';

-- What of the evidence against an acknowledgement was told already.
ALTER TABLE "openshift_cluster" ADD COLUMN "flagged_told" TEXT;

-- Decisions whose review date is to be told.
CREATE INDEX "skew_action_review" ON "skew_action"("review_at") WHERE "review_told_at" IS NULL;
