-- What a pool lets be out of work at once, as whoever approved its change saw it: nobody showed them more.
ALTER TABLE "approval" ADD COLUMN "max_unavailable" TEXT;
