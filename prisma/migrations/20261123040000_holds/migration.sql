-- Since when the cluster says that a group which Drydock holds is paused; null: it is not held, or nothing says since when.
ALTER TABLE "machine_group" ADD COLUMN "held_since" TIMESTAMPTZ(3);

-- How pressing its hold was when that was last told; 0 again when nothing holds it.
ALTER TABLE "machine_group" ADD COLUMN "hold_told" SMALLINT NOT NULL DEFAULT 0;

-- How old the hold of a change is by its policies: 0 it has its time, 1 people are reminded, 2 everybody sees it, 3 dangerous.
ALTER TABLE "change" ADD COLUMN "hold_level" SMALLINT NOT NULL DEFAULT 0;

-- Those few are looked at every half minute.
CREATE INDEX "change_hold_level" ON "change" ("cluster_id") WHERE "hold_level" > 0;
CREATE INDEX "group_hold_told" ON "machine_group" ("cluster_id") WHERE "hold_told" > 0;
