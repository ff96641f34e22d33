import { pool as database } from '@/lib/db/client'
import type { ConfigPool } from '@/lib/db/generated/client'

interface Had {
  config: string
  release: string | null
}

const HAD = `
SELECT DISTINCT ON (p.id) p.id, n.current_config AS config, min(n.release) AS release
FROM config_pool p JOIN config_node n ON n.cluster_id = p.cluster_id AND n.pool = p.name
WHERE p.id = ANY($1::uuid[]) AND p.current_config = p.desired_config AND n.current_config <> p.desired_config
GROUP BY p.id, n.current_config ORDER BY p.id, count(*) DESC, n.current_config`

/**
 * Of pools of which the operator says that all of their nodes had once what is wanted, the config that most of those have that lack it:
 * it was changed back in the middle, or they had no node for a moment.
 */
export async function configsHad(poolIds: string[]): Promise<Map<string, Had>> {
  const { rows } = await database().query<Had & { id: string }>(HAD, [poolIds])
  return new Map(rows.map(({ id, ...had }) => [id, had]))
}

type Shown = Pick<ConfigPool, 'id' | 'currentConfig' | 'currentRelease'>

/** A pool as it is shown, with what its nodes have. */
export function withHad<Of extends Shown>(pool: Of, had: Map<string, Had>): Of {
  const found = had.get(pool.id)
  return found ? { ...pool, currentConfig: found.config, currentRelease: found.release ?? pool.currentRelease } : pool
}
