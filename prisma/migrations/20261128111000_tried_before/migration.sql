-- What was over before it was done, and was seen to be what its group has since: no wave waits for it, and it soaks from then.
ALTER TABLE "change" ADD COLUMN "settled_at" TIMESTAMPTZ(3);

-- Since when its group wants the same, however often it was written once more.
ALTER TABLE "change" ADD COLUMN "wished_at" TIMESTAMPTZ(3);

-- It was over, and waves waited for it, or for it to soak, when its cluster was disconnected at that time.
ALTER TABLE "change" ADD COLUMN "awaited_at" TIMESTAMPTZ(3);

-- What groups have of what is wanted by others, from before: looked for every second.
CREATE INDEX "change_wish_group_id_idx" ON "change" ("wish", "group_id");

-- The same of what was left.
DROP INDEX "change_left";
CREATE INDEX "change_left" ON "change" ("wish") WHERE "left_after" IS NOT NULL OR "awaited_at" IS NOT NULL;

-- Looked for every second: what was left, until it is seen to have what was wanted.
CREATE INDEX "change_left_unsettled" ON "change" ("group_id") WHERE "left_after" IS NOT NULL AND "settled_at" IS NULL;
