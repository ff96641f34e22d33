import * as z from 'zod'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { KubeObject } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { endApprovals } from '@/lib/services/changes/approvals'
import { isHeld } from '@/lib/services/changes/hold-of'
import { lockChange } from '@/lib/services/changes/lock-change'
import { DECISION } from '@/lib/services/changes/patch-for'
import { systemCtx } from '@/lib/services/context'
import type { ClusterView } from '../types'
import { owned } from './common'
import { stop } from './stop'

/**
 * Let go by a patch that was stored after its decision was void: nobody wants it so any more, and the hold is put back. True: it was
 * such a one.
 */
export async function holdVoid(view: ClusterView, group: KubeObject): Promise<boolean> {
  const id = z.uuid().safeParse(group.metadata.annotations?.[DECISION])
  if (!id.success || isHeld(group)) return false
  const change = { clusterId: view.clusterId, groupId: group.metadata.uid, state: 'waiting' }
  const late = { state: 'voided', mode: { not: 'reject' }, sentAt: { not: null }, acceptedAt: null }
  const decision = await db().decision.findFirst({ where: { id: id.data, ...late, change }, include: { change: true } })
  if (!decision) return false
  await stop(view, decision.change, VOID)
  return true
}

const VOID = 'what let it go was void by then'

/**
 * A decision that counts as failed, and that the object bears: its patch was stored and only the answer was lost.
 * Without this, what a person approved would look as if somebody else had let it go.
 */
export async function adoptStored(view: ClusterView, group: KubeObject): Promise<void> {
  const id = z.uuid().safeParse(group.metadata.annotations?.[DECISION])
  if (!id.success) return
  const change = { clusterId: view.clusterId, groupId: group.metadata.uid, state: 'waiting' }
  const decision = await db().decision.findFirst({
    where: { id: id.data, state: 'failed', change },
    include: { change: true },
  })
  if (!decision || (decision.mode === 'reject') !== isHeld(group)) return
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, decision.changeId)
    const { count } = await tx.decision.updateMany({
      where: { id: decision.id, state: 'failed' },
      data: { state: 'accepted', acceptedAt: new Date(), error: null, expiresAt: null },
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
