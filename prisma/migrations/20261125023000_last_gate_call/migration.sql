-- What was last answered about a group and a machine, which every answer is held against.
-- CreateIndex
CREATE INDEX "gate_call_cluster_id_group_hook_id_idx" ON "gate_call"("cluster_id", "group", "hook", "id");
