-- Objects of a resource whose rows belong to another connected cluster: a copy of it, or the same one connected twice.
ALTER TABLE "stream" ADD COLUMN "elsewhere" INTEGER NOT NULL DEFAULT 0;
