-- What was over before it was done, and was seen to be what its group has since: no wave waits for it, and it soaks from then.
ALTER TABLE "change" ADD COLUMN "settled_at" TIMESTAMPTZ(3);

-- Since when its group wants the same, however often it was written once more.
ALTER TABLE "change" ADD COLUMN "wished_at" TIMESTAMPTZ(3);

-- What groups have of what is wanted by others, from before: looked for every second.
CREATE INDEX "change_wish_group_id_idx" ON "change" ("wish", "group_id");
