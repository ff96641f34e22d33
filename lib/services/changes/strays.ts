import { pool as database } from '@/lib/db/client'

const STRAYS = `
SELECT count(*)::int AS n FROM config_pool p JOIN config_node n ON n.cluster_id = p.cluster_id AND n.pool = p.name
WHERE p.id = $1::uuid AND (n.current_config IS DISTINCT FROM $2 OR n.desired_config IS DISTINCT FROM $2)`

/** Nodes of a pool that have another config than this one, or are on their way to another. */
export async function straysOf(poolId: string, config: string): Promise<number> {
  const { rows } = await database().query<{ n: number }>(STRAYS, [poolId, config])
  return rows[0]?.n ?? 0
}
