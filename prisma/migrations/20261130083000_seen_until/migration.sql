-- Until when what happened is in the rows: unknown, and so nothing rests on it, until the worker of the cluster says so.
ALTER TABLE "stream" ADD COLUMN "seen_until" TIMESTAMPTZ(3);
