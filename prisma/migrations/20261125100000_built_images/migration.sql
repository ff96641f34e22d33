-- The OS image that is built for a pool (MachineOSConfig), and the one that each of its nodes has and is to have.
ALTER TABLE "config_pool" ADD COLUMN "image_mode" TEXT NOT NULL DEFAULT 'unknown',
  ADD COLUMN "built_image" TEXT;
ALTER TABLE "config_node" ADD COLUMN "current_image" TEXT,
  ADD COLUMN "desired_image" TEXT;
