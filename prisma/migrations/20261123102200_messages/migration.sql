-- Where messages go, and those that were written in the transaction of what they tell.
CREATE TABLE "webhook" (
  "id" INTEGER PRIMARY KEY DEFAULT 1 CHECK ("id" = 1),
  "sealed" BYTEA NOT NULL,
  "key_id" TEXT NOT NULL,
  "host" TEXT NOT NULL,
  "has_token" BOOLEAN NOT NULL,
  "set_by" TEXT NOT NULL,
  "set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
CREATE TABLE "message" (
  "id" UUID PRIMARY KEY,
  "kind" TEXT NOT NULL,
  "body" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  "delivered_at" TIMESTAMPTZ(3),
  "failed_at" TIMESTAMPTZ(3),
  "result" TEXT
);
CREATE INDEX "message_due" ON "message" ("next_at") WHERE "delivered_at" IS NULL AND "failed_at" IS NULL;
CREATE INDEX "message_created" ON "message" ("created_at" DESC);
ALTER TABLE "management_cluster" ADD COLUMN "silence_told_at" TIMESTAMPTZ(3);
