import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { namedIn } from '@/lib/kubernetes/paths'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import { recordAudit } from '@/lib/services/audit/record'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { NOT_HELD } from '@/lib/services/changes/let-go-outside'
import { lockChange } from '@/lib/services/changes/lock-change'
import { recordMovedUnapproved } from '@/lib/services/changes/moved-unapproved'
import { LIVE } from '@/lib/services/changes/states'
import { systemCtx } from '@/lib/services/context'
import { isAsRead } from '../planner/as-read'
import { owned, type Row } from '../planner/common'
import { isOnlyResumed } from '../planner/record-let-go'
import type { ClusterView } from '../types'
import { awaitRows, type Rows } from './await-rows'
import { keepNodes } from './follow-nodes'
import { UNSEEN } from './went-unseen'

/**
 * What waits was taken up by all of its nodes, by its operator's word, while nobody watched: it was not taken back. These began by
 * nobody's word, and are on record by name; it comes to its end by them. 'ended': nobody knows its nodes, and it is on record without.
 */
export async function throughUnseen(
  view: ClusterView,
  pool: KubeObject,
  digest: string,
  open: Row | null,
): Promise<'later' | 'ended' | null> {
  const { pending, desiredConfig, counts } = readPool(pool)
  if (desiredConfig === null || pending || counts.machines === 0 || counts.updated < counts.machines) return null
  if (!waitsFor(open, digest)) return null
  const rows = await awaitRows(view, pool)
  if (rows.later) return 'later'
  if (!changeSetOf(open).pairs.some(({ from }) => from === desiredConfig)) await knowFirst(view, open, rows)
  await keepNodes(view.fence, open.id, pool.metadata.uid, desiredConfig, pool.built)
  if (!rows.told) await beginAll(view, open)
  const begun = await db().machineProgress.count({ where: { changeId: open.id, startedAt: { not: null } } })
  // Where each of them says that it has it, those that had not are gone: nobody moved.
  if (begun === 0) return (await endHere(view, open, rows.told)) ? 'ended' : 'later'
  if (!open.decisions.some(({ mode }) => mode !== 'reject'))
    await db().$transaction(async (tx) => {
      await owned(tx, view)
      if (!(await isOnlyResumed(tx, view, open))) await recordMovedUnapproved(tx, open, view.name)
    })
  // Rows that nobody writes any more would never say that they are through.
  if (rows.old && open.state !== 'rejected') return (await endHere(view, open, true)) ? 'ended' : 'later'
  return null
}

/** Also where it was approved, and that was not written yet. */
function waitsFor(open: Row | null, digest: string): open is Row {
  if (open?.digest !== digest) return false
  const [decision] = open.decisions
  return ['waiting', 'rejected'].includes(open.state) || (open.state === 'approved' && decision?.state === 'recorded')
}

/** Nodes that were there when it came, and that nobody had looked at: they waited as well. */
async function knowFirst(view: ClusterView, { id: changeId, detectedAt }: Row, { nodes, told }: Rows): Promise<void> {
  const there = nodes.filter(({ joinedAt }) => told && joinedAt !== null && joinedAt <= detectedAt)
  const known = await db().machineProgress.findMany({ where: { changeId }, select: { machineId: true } })
  const ids = new Set(known.map(({ machineId }) => machineId))
  const data = there.flatMap(({ id: machineId, name: machineName }) =>
    ids.has(machineId) ? [] : [{ changeId, machineId, machineName, state: 'waiting', predicted: 'in-place' }],
  )
  if (data.length === 0) return
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await tx.machineProgress.createMany({ data, skipDuplicates: true })
  })
}

/** Its rows may be of before, and its operator says that all have it. */
const beginAll = (view: ClusterView, { id: changeId }: Row): Promise<void> =>
  db().$transaction(async (tx) => {
    await owned(tx, view)
    const startedAt = await databaseNow(tx)
    // In one order, as whoever counts it as done: no two wait for each other.
    const where = { changeId, state: 'waiting', startedAt: null }
    const rows = await tx.machineProgress.findMany({
      where,
      orderBy: { machineId: 'asc' },
      select: { machineId: true },
    })
    for (const { machineId } of rows)
      await tx.machineProgress.update({ where: { changeId_machineId: { changeId, machineId } }, data: { startedAt } })
  })

/** No wave goes by it: whether its nodes are well is not known. `named`: they are on record, or none moved. */
async function endHere(view: ClusterView, open: Row, named: boolean): Promise<boolean> {
  const { id, clusterId, groupKind: kind, groupName, namespace, summary } = open
  return db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, id)
    if (!(await isAsRead(tx, open))) return false
    const over = { state: 'done', heldBy: 'none', settling: false, stuckReason: null, wish: null }
    await tx.change.update({ where: { id }, data: { ...over, finishedAt: await databaseNow(tx) } })
    const voided = { state: 'voided', claimedUntil: null }
    await tx.decision.updateMany({ where: { changeId: id, state: { in: [...LIVE, 'failed'] } }, data: voided })
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [id] })
    if (named || (await isOnlyResumed(tx, view, open))) return true
    await recordAudit(tx, systemCtx('planner'), {
      ...{ action: NOT_HELD, target: { kind, id, name: namedIn(namespace, groupName) } },
      cluster: { id: clusterId, name: view.name },
      reason: `The pool is governed, and nobody had approved it: ${UNSEEN}.`,
      details: { summary },
    })
    return true
  })
}
