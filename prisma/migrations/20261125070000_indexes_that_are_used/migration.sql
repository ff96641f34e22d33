-- Lists are sorted by the names of clusters as well, which these cannot serve; there are a few thousand rows at most.
-- DropIndex
DROP INDEX "config_pool_severity_id_idx";

-- DropIndex
DROP INDEX "cluster_updates_rank_cluster_id_idx";
