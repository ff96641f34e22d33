-- Who wrote over a word on the limit, and the same of a choice of managed machine sets.
ALTER TABLE "skew_action" ADD COLUMN "choice_lost_at" TIMESTAMPTZ(3),
ADD COLUMN "choice_lost_by" TEXT,
ADD COLUMN "lost_by" TEXT;
