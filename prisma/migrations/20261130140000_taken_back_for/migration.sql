-- What the machine sets of a held group had not made is taken back once for each hold, whatever becomes of the worker meanwhile.
ALTER TABLE "machine_group" ADD COLUMN "taken_back_for" TEXT;
