-- What groups have of what is wanted by others, from before: looked for every second.
CREATE INDEX "change_wish_group_id_idx" ON "change" ("wish", "group_id");
