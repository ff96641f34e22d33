ALTER TABLE "change" ADD COLUMN "wish" TEXT;
ALTER TABLE "change" ADD COLUMN "wave" JSONB;

CREATE TABLE "wave_word" (
    "id" UUID NOT NULL,
    "policy_id" UUID NOT NULL,
    "wish" TEXT NOT NULL,
    "wave" TEXT,
    "what" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "reason" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "wave_word_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "wave_word_policy_id_wish_at_idx" ON "wave_word"("policy_id", "wish", "at");

-- Of each word one speaks at a time, however many people say it at once.
CREATE UNIQUE INDEX "wave_word_speaks" ON "wave_word"("policy_id", "wish", "what", COALESCE("wave", '')) WHERE "ended_at" IS NULL;

-- A group's newest change, which says where it is with what a run wants.
CREATE INDEX "change_cluster_id_group_id_detected_at_idx" ON "change"("cluster_id", "group_id", "detected_at" DESC);
