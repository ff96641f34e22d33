-- What waves wait for in a cluster that is away follows from its changes themselves.
DROP INDEX "change_left";
DROP INDEX "change_left_unsettled";
ALTER TABLE "change" DROP COLUMN "awaited_at";
