ALTER TABLE "management_cluster" ADD COLUMN "gate_base" TEXT;
UPDATE "management_cluster" SET "gate_base" = "gate_status"->>'base';
