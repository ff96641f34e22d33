-- AlterTable
ALTER TABLE "boot_image_set" ADD COLUMN     "former" JSONB NOT NULL DEFAULT '[]';
