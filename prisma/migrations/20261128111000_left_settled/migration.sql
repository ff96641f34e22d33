-- What was left with its cluster and was seen to have what was wanted since: no wave waits for it, whatever becomes of its cluster.
ALTER TABLE "change" ADD COLUMN "left_settled_at" TIMESTAMPTZ(3);

-- Looked for every second.
CREATE INDEX "change_left_unsettled" ON "change" ("group_id") WHERE "left_after" IS NOT NULL AND "left_settled_at" IS NULL;
