import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { wishes } from '@/lib/domain/waves'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { lockChange } from '@/lib/services/changes/lock-change'
import { owned } from '../planner/common'
import type { ClusterView } from '../types'
import { awaitRows } from './await-rows'

/**
 * Not all nodes were well when it was seen that they had taken something up unwatched: waves go by it from when they are, and that is
 * its end, as of any change. Whether that is still to come.
 */
export async function awaitsWell(view: ClusterView, pool: KubeObject, digest: string): Promise<boolean> {
  const { clusterId } = view
  const newest = await db().change.findFirst({
    where: { clusterId, groupId: pool.metadata.uid },
    orderBy: { detectedAt: 'desc' },
  })
  const isSuch = newest?.state === 'done' && newest.digest === digest && newest.firstSeen && newest.heldBy === 'none'
  if (!isSuch || newest.wish !== null) return false
  const { counts } = readPool(pool)
  const { nodes, told, old } = await awaitRows(view, pool)
  // Nobody can tell before somebody lets nodes be read.
  if (old) return false
  if (!told || counts.ready < counts.machines || nodes.some(({ unavailable }) => unavailable)) return true
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, newest.id)
    const now = await databaseNow(tx)
    const where = { id: newest.id, wish: null }
    await tx.change.updateMany({ where, data: { ...wishes(changeSetOf(newest)), finishedAt: now } })
    // In one order, as whoever counts it as done: no two wait for each other.
    const of = { changeId: newest.id, readyAt: null }
    for (const { machineId } of await tx.machineProgress.findMany({ where: of, orderBy: { machineId: 'asc' } }))
      await tx.machineProgress.updateMany({ where: { ...of, machineId }, data: { readyAt: now } })
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [newest.id] })
  })
  return false
}
