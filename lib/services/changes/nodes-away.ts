import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Waits } from '@/lib/providers/openshift/pool-change'
import { readPool } from '@/lib/providers/openshift/pools'
import { changeSetOf } from './change-row'

const ELSEWHERE = `
FROM change c JOIN machine_progress p ON p.change_id = c.id JOIN config_node n ON n.id = p.machine_id
WHERE c.id = $1::uuid AND n.cluster_id = c.cluster_id AND n.pool <> c.group_name`
const AWAY = `SELECT count(*)::int AS count ${ELSEWHERE} AND p.started_at IS NULL AND p.state = 'waiting'`

/** The nodes of a change of a pool that are there, and in another pool, or in none. */
export async function nodesElsewhere(changeId: string): Promise<Set<string>> {
  const rows = await db().$queryRawUnsafe<{ id: string }[]>(`SELECT n.id::text AS id ${ELSEWHERE}`, changeId)
  return new Set(rows.map(({ id }) => id))
}

/**
 * How a change of a pool waits: it goes on where the pool has no node now, or those that waited are in another pool, or in none. What has
 * no node, nobody is through with; and whichever comes (back) would take it up.
 */
export async function waitsOn(pool: KubeObject, change: Pick<Change, 'id' | 'changeSet'>): Promise<Waits> {
  const [pair] = changeSetOf(change).pairs
  const from = pair?.from || null
  if (readPool(pool).counts.machines === 0) return { from, stays: true }
  const [away] = await db().$queryRawUnsafe<{ count: number }[]>(AWAY, change.id)
  return { from, stays: (away?.count ?? 0) > 0 }
}
