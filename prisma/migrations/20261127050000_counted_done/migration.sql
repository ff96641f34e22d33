-- When somebody counted it as done, as it was: no word against it from before speaks any more.
ALTER TABLE "change" ADD COLUMN "counted_done_at" TIMESTAMPTZ(3);
