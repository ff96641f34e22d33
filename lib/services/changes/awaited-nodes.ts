import { pool } from '@/lib/db/client'
import { POOL } from '@/lib/domain/latch/hold'
import { besideAsWanted } from '@/lib/domain/pools/node-words'

/** Every node of its pool has what a change brings, and it is over when these are available again. */
export interface Awaited {
  names: string[]
  /** Of the first of them: what it says. */
  says: string
}

/** The operator says that a pool has its configuration when each of its nodes is Ready, and none is cordoned. */
const AWAITED = `
SELECT c.id, array_agg(n.name ORDER BY n.name) FILTER (WHERE n.unavailable) AS names,
  (array_agg(n.sentence ORDER BY n.name) FILTER (WHERE n.unavailable))[1] AS says
FROM change c JOIN config_pool p ON p.id = c.group_id AND p.cluster_id = c.cluster_id
JOIN config_node n ON n.cluster_id = p.cluster_id AND n.pool = p.name
WHERE c.id = ANY($1::uuid[]) AND c.group_kind = '${POOL}' AND c.state = 'running' AND NOT c.settling
  AND p.desired_config = c.outlook #>> '{pool,config}'
GROUP BY c.id HAVING bool_or(n.unavailable) AND bool_and(n.phase = 'updated' AND n.current_config = p.desired_config
  AND n.current_image IS NOT DISTINCT FROM n.desired_image)`

/** Of changes of pools that are under way, by their ids, those that wait for nothing but nodes to be available again. */
export async function awaitedNodes(ids: readonly string[]): Promise<Record<string, Awaited>> {
  if (ids.length === 0) return {}
  const { rows } = await pool().query<Awaited & { id: string }>(AWAITED, [ids])
  return Object.fromEntries(rows.map(({ id, names, says }) => [id, { names, says: besideAsWanted(says) }]))
}
