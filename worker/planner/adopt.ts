import { namedIn } from '@/lib/kubernetes/paths'
import * as z from 'zod'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import type { KubeObject } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { endApprovals } from '@/lib/services/changes/approvals'
import { isHeld } from '@/lib/services/changes/hold-of'
import type { Change, Decision } from '@/lib/db/generated/client'
import { forbidsStored } from '@/lib/services/changes/policy-forbids'
import { LIVE, OPEN } from '@/lib/services/changes/states'
import { lockChange } from '@/lib/services/changes/lock-change'
import { DECISION } from '@/lib/services/changes/patch-for'
import { tellDecided } from '@/lib/services/changes/tell-decided'
import { systemCtx } from '@/lib/services/context'
import type { ClusterView } from '../types'
import { owned } from './common'
import { NOBODY_LET_GO, stop } from './stop'

/** The answer to a patch comes as soon as its object does. */
const ANSWERED_MS = 5_000

type Stored = Decision & { change: Change }

/**
 * A decision that the object bears, although nobody here knows that it was stored: it counts as failed, its answer is overdue, or it
 * is void. What was approved is accepted; what is not wanted so any more is held again. True: it is to be looked at anew.
 */
export async function settleStored(view: ClusterView, group: KubeObject): Promise<boolean> {
  const id = z.uuid().safeParse(group.metadata.annotations?.[DECISION])
  if (!id.success) return false
  const failed = { state: 'failed', change: { state: 'waiting' } }
  const overdue = { state: 'applying', sentAt: { lt: new Date(Date.now() - ANSWERED_MS) } }
  // Also where it was taken for not sent: the object bears it.
  const late = { state: 'voided', mode: { not: 'reject' }, acceptedAt: null, settledAt: null }
  const decision = await db().decision.findFirst({
    where: {
      ...{ id: id.data, change: { clusterId: view.clusterId, groupId: group.metadata.uid } },
      OR: [failed, overdue, late],
    },
    include: { change: true },
  })
  if (!decision || (decision.mode === 'reject') !== isHeld(group)) return false
  const forbidden = decision.state === 'voided' ? null : await forbidsStored(decision)
  // What became of it meanwhile, whoever looks next finds.
  if (forbidden && !(await endForbidden(view, decision, forbidden))) return true
  if (!forbidden && decision.state !== 'voided') {
    // A courtesy, which keeps no other group waiting.
    if (await accept(view, decision)) void tellDecided(view.client, group, decision)
    return false
  }
  await holdAgain(view, decision)
  return true
}

/** Once: where a guard stands, who takes this hold away by hand is not fought. In the name of the change that is open by now. */
async function holdAgain(view: ClusterView, { id, change }: Stored): Promise<void> {
  const { clusterId, groupId } = change
  const where = { clusterId, groupId, state: { in: OPEN } }
  const open = await db().change.findFirst({ where, orderBy: { detectedAt: 'desc' } })
  await stop(view, open ?? change, NOBODY_LET_GO.voided, { isPast: (object) => bearsLetGo(clusterId, object) })
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await tx.decision.updateMany({ where: { id, state: 'voided' }, data: { settledAt: new Date() } })
  })
}

/**
 * The watch may be late: the object bears a decision that speaks, and let it go since. One of a change that is over says nothing of what
 * is wanted anew. `of`: which change, or what that is to have let go; absent: whatever is not over.
 */
export async function bearsLetGo(
  clusterId: string,
  { metadata }: KubeObject,
  of: { id?: string; digest?: string } = {},
): Promise<boolean> {
  const bears = z.uuid().safeParse(metadata.annotations?.[DECISION])
  if (!bears.success) return false
  const change = { clusterId, groupId: metadata.uid, state: { in: OPEN }, ...of }
  const where = { id: bears.data, mode: { not: 'reject' }, state: { in: LIVE }, change }
  return (await db().decision.count({ where })) > 0
}

/** It was to be decided anew. False: somebody was faster. */
async function endForbidden(view: ClusterView, decision: Stored, why: string): Promise<boolean> {
  return db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, decision.changeId)
    const where = { id: decision.id, state: decision.state }
    const { count } = await tx.decision.updateMany({ where, data: { state: 'voided', claimedUntil: null, error: why } })
    if (count === 0) return false
    await tx.change.updateMany({ where: { id: decision.changeId, state: 'approved' }, data: { state: 'waiting' } })
    await announce(tx, { topic: 'decisions', cluster: view.clusterId, ids: [decision.id] })
    await recordAudit(tx, systemCtx('planner'), {
      ...about(view, decision),
      ...{ action: 'decision.failed', result: 'failed', reason: why },
    })
    return true
  })
}

const about = (view: ClusterView, { id, mode, changeId, change }: Stored) => ({
  target: { kind: change.groupKind, id: changeId, name: namedIn(change.namespace, change.groupName) },
  cluster: { id: view.clusterId, name: view.name },
  details: { decision: id, mode },
})

/** Without this, what a person approved would look as if somebody else had let it go, and nobody would hold it again. */
async function accept(view: ClusterView, decision: Stored): Promise<boolean> {
  return db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, decision.changeId)
    const acceptedAt = await databaseNow(tx)
    const { count } = await tx.decision.updateMany({
      where: { id: decision.id, state: decision.state },
      data: { state: 'accepted', acceptedAt, error: null, expiresAt: null, claimedUntil: null },
    })
    if (count === 0) return false
    if (decision.mode === 'reject') await endApprovals(tx, decision.changeId)
    const state = decision.mode === 'reject' ? 'rejected' : 'approved'
    await tx.change.updateMany({ where: { id: decision.changeId, state: 'waiting' }, data: { state } })
    await announce(tx, { topic: 'decisions', cluster: view.clusterId, ids: [decision.id] })
    await recordAudit(tx, systemCtx('planner'), {
      ...about(view, decision),
      action: 'decision.accepted',
      answer: 'The object bears the decision: the API server had stored it, and its answer was lost.',
    })
    return true
  })
}
