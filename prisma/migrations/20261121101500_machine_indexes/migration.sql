-- Facets of the table of machines come from this index alone; the list's usual order ends in the id.
CREATE INDEX "machine_facets_idx" ON "machine"("cluster_id", "workload_cluster", "phase", "verdict", "state");
CREATE INDEX "machine_severity_name_id_idx" ON "machine"("severity" DESC, "name", "id");
DROP INDEX "machine_severity_name_idx";
