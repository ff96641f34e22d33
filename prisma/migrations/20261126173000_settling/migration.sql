-- Nothing of it is left to begin, and its machines are not all Ready yet: there is nothing to hold, pause or stop.
ALTER TABLE "change" ADD COLUMN "settling" BOOLEAN NOT NULL DEFAULT false;
