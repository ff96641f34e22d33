-- A word on the limit that somebody wrote over: the same, written later, is somebody else's.
ALTER TABLE "skew_action" ADD COLUMN "lost_at" TIMESTAMPTZ(3);
