import { announce } from '../notify'
import type { Marked } from './marked'

/** Nodes that have not what their pool wants, and machines that are as their set wants them, put together by the node's name. */
const COUNT = `WITH seen AS (DELETE FROM nodes_behind_stale WHERE cluster_id = ANY($1::uuid[])),
  both_of AS (
    SELECT cluster_id, max(workload) AS workload FROM (
      SELECT k.cluster_id, k.name, NULL::text AS workload FROM config_pool o
        JOIN config_node k ON k.cluster_id = o.cluster_id AND k.pool = o.name
      WHERE o.cluster_id = ANY($1::uuid[]) AND o.updated < o.machines AND (k.phase <> 'updated' OR o.updated = 0)
      UNION ALL SELECT cluster_id, node, workload_cluster FROM machine
      WHERE cluster_id IN (SELECT cluster_id FROM config_pool WHERE cluster_id = ANY($1::uuid[]))
        AND node IS NOT NULL AND verdict = 'up-to-date' AND up_to_date IS NOT FALSE
    ) either GROUP BY cluster_id, name HAVING bool_or(workload IS NULL) AND bool_or(workload IS NOT NULL)),
  now AS MATERIALIZED (SELECT cluster_id, workload, count(*)::int AS behind FROM both_of GROUP BY 1, 2),
  gone AS (DELETE FROM nodes_behind k WHERE k.cluster_id = ANY($1::uuid[])
    AND NOT EXISTS (SELECT 1 FROM now WHERE now.cluster_id = k.cluster_id AND now.workload = k.workload_cluster) RETURNING k.cluster_id),
  put AS (INSERT INTO nodes_behind AS k (cluster_id, workload_cluster, behind) SELECT cluster_id, workload, behind FROM now
    ON CONFLICT (cluster_id, workload_cluster) DO UPDATE SET behind = EXCLUDED.behind WHERE k.behind <> EXCLUDED.behind RETURNING k.cluster_id)
  SELECT cluster_id AS id FROM gone UNION SELECT cluster_id FROM put`

/** Fleet's machines that are outdated by their pool alone. Pages read the count, and are told when it changes. */
export const NODES_BEHIND: Marked = {
  ...{ lock: 7_207_010, marks: 'nodes_behind_stale', rows: 'nodes_behind' },
  write: async (client, clusterIds) => {
    const { rows } = await client.query<{ id: string }>(COUNT, [clusterIds])
    for (const { id } of rows) await announce(client, { topic: 'groups', cluster: id })
  },
}
