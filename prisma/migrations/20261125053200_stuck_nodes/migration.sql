-- Nodes that are longer in one step than they should be: asked for by each view of the fleet.
CREATE INDEX "config_node_stuck" ON "config_node" ("cluster_id", "pool") WHERE "stuck_from" IS NOT NULL;
