-- AlterTable
ALTER TABLE "openshift_cluster" ADD COLUMN     "availability" TEXT NOT NULL DEFAULT 'not-filled-yet',
ADD COLUMN     "confidence" TEXT NOT NULL DEFAULT 'unknown',
ADD COLUMN     "confidence_why" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "distance" INTEGER,
ADD COLUMN     "flagged_why" TEXT,
ADD COLUMN     "managed_mode" TEXT NOT NULL DEFAULT 'not-told',
ADD COLUMN     "mode_why" TEXT,
ADD COLUMN     "node_risk" TEXT NOT NULL DEFAULT 'unknown',
ADD COLUMN     "node_risk_why" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "risk" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "update_open" BOOLEAN,
ADD COLUMN     "version_key" TEXT;

-- AlterTable
ALTER TABLE "boot_image_set" ADD COLUMN     "arch" TEXT,
ADD COLUMN     "dated" TEXT,
ADD COLUMN     "dated_sure" TEXT,
ADD COLUMN     "error" TEXT,
ADD COLUMN     "managed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "marketplace" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "outcome" TEXT NOT NULL DEFAULT 'undecided';
