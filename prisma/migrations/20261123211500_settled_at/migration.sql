-- When what was stored after it was void was held again: once.
ALTER TABLE "decision" ADD COLUMN "settled_at" TIMESTAMPTZ(3);
