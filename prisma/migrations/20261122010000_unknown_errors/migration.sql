-- What is the matter with a machine, as the catalogue of errors knows it; found when the machine is projected.
ALTER TABLE "machine" ADD COLUMN "trouble" TEXT, ADD COLUMN "trouble_words" TEXT;

-- Errors that the catalogue does not know, so that it can grow.
CREATE TABLE "unknown_error" (
    "id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "condition" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "example" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "first_seen" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "unknown_error_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "unknown_error_last_seen_idx" ON "unknown_error"("last_seen");
