-- A word that stood against what a change continues after a disconnect: whose it is, what they did (rejected | taken-back), and when.
ALTER TABLE "change"
  ADD COLUMN "against_by" TEXT,
  ADD COLUMN "against_how" TEXT,
  ADD COLUMN "against_at" TIMESTAMPTZ(3);
