-- MachineConfigPools and their nodes, as the worker follows them.
-- CreateTable
CREATE TABLE "config_pool" (
    "id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "paused_since" TIMESTAMPTZ(3),
    "max_unavailable" TEXT,
    "at_once" INTEGER,
    "machines" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "ready" INTEGER NOT NULL DEFAULT 0,
    "unavailable" INTEGER NOT NULL DEFAULT 0,
    "degraded" INTEGER NOT NULL DEFAULT 0,
    "current_config" TEXT,
    "desired_config" TEXT,
    "current_release" TEXT,
    "desired_release" TEXT,
    "wanted_release" TEXT,
    "cluster_updating" BOOLEAN NOT NULL DEFAULT false,
    "state" TEXT NOT NULL DEFAULT 'unknown',
    "sentence" TEXT NOT NULL DEFAULT '',
    "severity" INTEGER NOT NULL DEFAULT 0,
    "required" BOOLEAN NOT NULL DEFAULT false,
    "pending" BOOLEAN NOT NULL DEFAULT false,
    "certificates" JSONB NOT NULL DEFAULT '[]',
    "cert_expiry" TIMESTAMPTZ(3),
    "conditions" JSONB NOT NULL DEFAULT '[]',
    "resource_version" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "config_pool_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "config_node" (
    "id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "pool" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "zone" TEXT,
    "current_config" TEXT,
    "desired_config" TEXT,
    "release" TEXT,
    "phase" TEXT NOT NULL,
    "step" TEXT,
    "since" TIMESTAMPTZ(3),
    "stuck_from" TIMESTAMPTZ(3),
    "sentence" TEXT NOT NULL DEFAULT '',
    "hint" TEXT,
    "steps" JSONB,
    "drain" JSONB,
    "unavailable" BOOLEAN NOT NULL DEFAULT false,
    "severity" INTEGER NOT NULL DEFAULT 0,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "config_node_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "config_pool_severity_id_idx" ON "config_pool"("severity" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "config_pool_cluster_id_name_key" ON "config_pool"("cluster_id", "name");

-- CreateIndex
CREATE INDEX "config_node_cluster_id_pool_severity_name_idx" ON "config_node"("cluster_id", "pool", "severity" DESC, "name");

-- CreateIndex
CREATE UNIQUE INDEX "config_node_cluster_id_name_key" ON "config_node"("cluster_id", "name");

-- AddForeignKey
ALTER TABLE "config_pool" ADD CONSTRAINT "config_pool_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "config_node" ADD CONSTRAINT "config_node_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;
