-- The newest changes of one management cluster.
CREATE INDEX "change_cluster_id_detected_at_idx" ON "change"("cluster_id", "detected_at" DESC);
