import { pool as database } from '@/lib/db/client'
import type { Strays } from '@/lib/providers/openshift/pool-change'
import type { BuiltImage } from '@/lib/kubernetes/types'

const IMAGE = `(n.current_image IS DISTINCT FROM n.desired_image OR ($3::boolean AND n.desired_image IS DISTINCT FROM $4::text))`
const STRAYS = `
SELECT count(*) FILTER (WHERE n.current_config IS DISTINCT FROM $2 OR n.desired_config IS DISTINCT FROM $2 OR ${IMAGE})::int AS nodes,
  (count(*) FILTER (WHERE ${IMAGE}))::int AS images,
  mode() WITHIN GROUP (ORDER BY CASE WHEN n.current_config <> $2 THEN n.current_config WHEN n.desired_config <> $2 THEN n.desired_config END) AS most
FROM config_pool p JOIN config_node n ON n.cluster_id = p.cluster_id AND n.pool = p.name
WHERE p.id = $1::uuid`

/**
 * Nodes of a pool that have another config than this one, or another OS image than is built for it, or are on their way to another.
 * As long as that one is not there, or not known, nodes that are on their way count.
 */
export async function straysOf(poolId: string, config: string, built: BuiltImage | null | undefined): Promise<Strays> {
  const wanted = built === null || Boolean(built?.image)
  const { rows } = await database().query<Strays>(STRAYS, [poolId, config, wanted, built?.image ?? null])
  return rows[0] ?? { nodes: 0, images: 0, most: null }
}
