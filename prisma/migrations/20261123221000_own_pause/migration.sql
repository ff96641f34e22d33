-- Where a person's own pause stands; null: it is not read yet.
ALTER TABLE "machine_group" ADD COLUMN "own_pause" JSONB;
