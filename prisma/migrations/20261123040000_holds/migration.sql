-- Since when the cluster says that a group which Drydock holds is paused; null: it is not held, or nothing says since when.
ALTER TABLE "machine_group" ADD COLUMN "held_since" TIMESTAMPTZ(3);

-- How old the hold of a change is by its policies: 0 it has its time, 1 people are reminded, 2 everybody sees it, 3 dangerous.
ALTER TABLE "change" ADD COLUMN "hold_level" SMALLINT NOT NULL DEFAULT 0;
