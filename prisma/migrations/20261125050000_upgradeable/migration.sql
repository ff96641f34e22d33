-- Whether updates to another minor version of OpenShift are open, what keeps them closed, and the gates of administrators.
-- CreateTable
CREATE TABLE "cluster_updates" (
    "cluster_id" UUID NOT NULL,
    "version" TEXT,
    "desired" TEXT,
    "channel" TEXT,
    "state" TEXT NOT NULL,
    "sentence" TEXT NOT NULL,
    "form" TEXT NOT NULL,
    "reason" TEXT,
    "message" TEXT,
    "choices" JSONB NOT NULL DEFAULT '[]',
    "underway" JSONB,
    "overrides" JSONB NOT NULL DEFAULT '[]',
    "gates_read" TEXT NOT NULL,
    "acks_read" TEXT NOT NULL,
    "blockers" INTEGER NOT NULL DEFAULT 0,
    "gates_waiting" INTEGER NOT NULL DEFAULT 0,
    "rank" INTEGER NOT NULL DEFAULT 0,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "cluster_updates_pkey" PRIMARY KEY ("cluster_id")
);

-- CreateTable
CREATE TABLE "upgrade_blocker" (
    "cluster_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "item" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3),
    "said" TEXT NOT NULL,

    CONSTRAINT "upgrade_blocker_pkey" PRIMARY KEY ("cluster_id","key")
);

-- CreateTable
CREATE TABLE "admin_gate" (
    "cluster_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "text" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "release" TEXT,
    "ack" TEXT,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "admin_gate_pkey" PRIMARY KEY ("cluster_id","name")
);

-- CreateIndex
CREATE INDEX "cluster_updates_rank_cluster_id_idx" ON "cluster_updates"("rank" DESC, "cluster_id");

-- AddForeignKey
ALTER TABLE "cluster_updates" ADD CONSTRAINT "cluster_updates_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upgrade_blocker" ADD CONSTRAINT "upgrade_blocker_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "admin_gate" ADD CONSTRAINT "admin_gate_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;
