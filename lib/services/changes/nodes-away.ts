import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Waits } from '@/lib/providers/openshift/pool-change'
import { readPool } from '@/lib/providers/openshift/pools'
import { changeSetOf } from './change-row'

const AWAY = `
SELECT count(*)::int AS count FROM change c JOIN machine_progress p ON p.change_id = c.id JOIN config_node n ON n.id = p.machine_id
WHERE c.id = $1::uuid AND p.started_at IS NULL AND p.state = 'waiting' AND n.cluster_id = c.cluster_id AND n.pool <> c.group_name`

/**
 * How a change of a pool waits: it goes on waiting where the pool has no node now, or those that waited are in another pool, or in none. What has
 * no node, nobody is through with; and whichever comes (back) would take it up.
 */
export async function waitsOn(pool: KubeObject, change: Pick<Change, 'id' | 'changeSet'>): Promise<Waits> {
  const [pair] = changeSetOf(change).pairs
  const from = pair?.from || null
  if (readPool(pool).counts.machines === 0) return { from, stays: true }
  const [away] = await db().$queryRawUnsafe<{ count: number }[]>(AWAY, change.id)
  return { from, stays: (away?.count ?? 0) > 0 }
}
