import * as z from 'zod'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { KubeObject } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { endApprovals } from '@/lib/services/changes/approvals'
import { isHeld } from '@/lib/services/changes/hold-of'
import type { Change, Decision } from '@/lib/db/generated/client'
import { ServiceError } from '@/lib/services/errors'
import { policyForbids } from '@/lib/services/changes/policy-forbids'
import { OPEN } from '@/lib/services/changes/states'
import { lockChange } from '@/lib/services/changes/lock-change'
import { DECISION } from '@/lib/services/changes/patch-for'
import { systemCtx } from '@/lib/services/context'
import type { ClusterView } from '../types'
import { owned } from './common'
import { stop } from './stop'

/**
 * Let go by a patch that was stored after its decision was void: nobody wants it so any more, and the hold is put back, once. True:
 * it was such a one.
 */
export async function holdVoid(view: ClusterView, group: KubeObject): Promise<boolean> {
  const id = z.uuid().safeParse(group.metadata.annotations?.[DECISION])
  if (!id.success || isHeld(group)) return false
  const of = { clusterId: view.clusterId, groupId: group.metadata.uid }
  const late = { state: 'voided', mode: { not: 'reject' }, sentAt: { not: null }, acceptedAt: null }
  const decision = await db().decision.findFirst({
    where: { id: id.data, ...late, change: of },
    include: { change: true },
  })
  if (!decision) return false
  const open = await db().change.findFirst({ where: { ...of, state: { in: OPEN } }, orderBy: { detectedAt: 'desc' } })
  await stop(view, open ?? decision.change, VOID)
  // It was stored, and that is over: who takes this hold away by hand is not fought.
  await db().decision.update({ where: { id: id.data }, data: { acceptedAt: new Date() } })
  return true
}

const VOID = 'what let it go was void by then'
/** The answer to a patch comes as soon as its object does. */
const ANSWERED_MS = 5_000

/**
 * A decision that counts as failed, or whose answer is overdue, and that the object bears: its patch was stored and only the answer
 * was lost. Without this, what a person approved would look as if somebody else had let it go, and nobody would hold it again.
 */
export async function adoptStored(view: ClusterView, group: KubeObject): Promise<void> {
  const id = z.uuid().safeParse(group.metadata.annotations?.[DECISION])
  if (!id.success) return
  const change = { clusterId: view.clusterId, groupId: group.metadata.uid }
  const overdue = { state: 'applying', sentAt: { lt: new Date(Date.now() - ANSWERED_MS) } }
  const decision = await db().decision.findFirst({
    where: { id: id.data, change, OR: [{ state: 'failed', change: { state: 'waiting' } }, overdue] },
    include: { change: true },
  })
  if (!decision || (decision.mode === 'reject') !== isHeld(group)) return
  if (decision.state === 'failed' && decision.mode !== 'reject' && (await isForbidden(decision, group))) {
    // It was to be decided anew: held by holdVoid.
    await db().decision.updateMany({ where: { id: decision.id, state: 'failed' }, data: { state: 'voided' } })
    return
  }
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, decision.changeId)
    const { count } = await tx.decision.updateMany({
      where: { id: decision.id, state: decision.state },
      data: { state: 'accepted', acceptedAt: new Date(), error: null, expiresAt: null, claimedUntil: null },
    })
    if (count === 0) return
    if (decision.mode === 'reject') await endApprovals(tx, decision.changeId)
    const state = decision.mode === 'reject' ? 'rejected' : 'approved'
    await tx.change.updateMany({ where: { id: decision.changeId, state: 'waiting' }, data: { state } })
    await announce(tx, { topic: 'decisions', cluster: view.clusterId, ids: [decision.id] })
    const { groupKind, namespace, groupName } = decision.change
    await recordAudit(tx, systemCtx('planner'), {
      action: 'decision.accepted',
      target: { kind: groupKind, id: decision.changeId, name: `${namespace}/${groupName}` },
      cluster: { id: view.clusterId, name: view.name },
      answer: 'The object bears the decision: the API server had stored it, and its answer was lost.',
      details: { decision: decision.id, mode: decision.mode },
    })
  })
}

/** By the policies of now; what only its time keeps is held to that as soon as it is adopted. What is not known was allowed when it was sent. */
async function isForbidden(decision: Decision & { change: Change }, group: KubeObject): Promise<boolean> {
  try {
    const forbidden = await policyForbids(decision, group)
    return forbidden !== null && !forbidden.awaitsTime
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}
