-- What somebody saw who said something about a wave: lib/domain/waves/bound. A word of before is bound to nothing, and counts no more.
ALTER TABLE "wave_word" ADD COLUMN "bound" TEXT, ADD COLUMN "lapsed_at" TIMESTAMPTZ(3);
