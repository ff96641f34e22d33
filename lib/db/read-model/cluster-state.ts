import type { Pool } from 'pg'
import type { Capabilities } from '@/lib/domain/capabilities'
import { jsonText } from '../json'
import { fenced, type Fence } from './fence'

export type ClusterState = 'pending' | 'connected' | 'unreachable' | 'unauthorised'

/** Says how the connection is; announced only where that changed. A disconnected cluster stays disconnected. */
export async function writeClusterState(
  pool: Pool,
  fence: Fence,
  state: ClusterState,
  message: string | null,
): Promise<void> {
  await fenced(pool, fence, async (client, say) => {
    const { rowCount } = await client.query(
      `UPDATE management_cluster SET state = $2, state_message = $3
       WHERE id = $1 AND state <> 'disconnected' AND (state, state_message) IS DISTINCT FROM ($2, $3)`,
      [fence.clusterId, state, message],
    )
    if (rowCount) say({ topic: 'clusters', cluster: fence.clusterId })
  })
}

/** What discovery found last; null: it has not answered yet. */
export async function readDiscovery(pool: Pool, clusterId: string): Promise<Capabilities | null> {
  const { rows } = await pool.query<{ discovery: Capabilities | null }>(
    'SELECT discovery FROM management_cluster WHERE id = $1',
    [clusterId],
  )
  return rows[0]?.discovery ?? null
}

/** Keeps what discovery found; announced only where something is different. */
export async function writeDiscovery(pool: Pool, fence: Fence, found: Capabilities): Promise<void> {
  await fenced(pool, fence, async (client, say) => {
    const document = jsonText(found)
    const { rowCount } = await client.query(
      `UPDATE management_cluster SET discovery = $2::jsonb, discovered_at = now(), identity = $3
       WHERE id = $1 AND (discovery, identity) IS DISTINCT FROM ($2::jsonb, $3)`,
      [fence.clusterId, document, found.identity.username],
    )
    if (rowCount) say({ topic: 'clusters', cluster: fence.clusterId })
    else await client.query('UPDATE management_cluster SET discovered_at = now() WHERE id = $1', [fence.clusterId])
  })
}
