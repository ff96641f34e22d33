-- Waves wait for what was left with its cluster, and look for that every second.
CREATE INDEX "change_left" ON "change" ("wish") WHERE "left_after" IS NOT NULL;
