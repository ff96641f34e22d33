-- How many machines are deleted for spares where it goes in place, as whoever approved it saw it: more of them nobody showed them.
ALTER TABLE "approval" ADD COLUMN "spares" INTEGER;
