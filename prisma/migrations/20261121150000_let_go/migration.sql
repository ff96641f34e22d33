ALTER TABLE "machine_group" ADD COLUMN "let_go" TEXT;
