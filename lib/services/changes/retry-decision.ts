import { namedIn } from '@/lib/kubernetes/paths'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { configsEdited } from '@/lib/domain/changes'
import { requireConnected } from '../clusters/connected'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { applyOrLeave } from './apply'
import { pairsApproved, pairsToKeep } from './approved-pairs'
import { endApprovals } from './approvals'
import { changeSetOf, decisionDto, type DecisionDto, type DecisionMode } from './change-row'
import { lockChange } from './lock-change'
import { planeRisks } from './plane'
import { RetryInput } from './schemas'
import { requireTypedName } from './typed-name'

/** Applies a failed decision again, for the very change that it was made for. */
export async function retryDecision(ctx: Ctx, input: unknown): Promise<DecisionDto> {
  requirePermission(ctx, 'changes:reject')
  const { decisionId, typedName } = parseInput(RetryInput, input)
  const select = { mode: true, changeId: true, change: { select: { clusterId: true } } }
  const known = await db().decision.findUnique({ where: { id: decisionId }, select })
  if (!known) throw new ServiceError('not-found', 'There is no such decision.')
  if (known.mode !== 'reject') requirePermission(ctx, 'changes:approve')
  await db().$transaction(async (tx) => {
    await requireConnected(tx, known.change.clusterId)
    await lockChange(tx, known.changeId)
    // Whether it failed, and what it would do, as it is from here on.
    const row = await tx.decision.findUniqueOrThrow({
      where: { id: decisionId },
      include: { change: { include: { cluster: { select: { name: true } } } } },
    })
    const { change } = row
    if (row.mode === 'reject') await endApprovals(tx, change.id)
    // By what is known now: it may not have been asked for when it was approved.
    const mode = row.mode as DecisionMode
    if (row.state === 'failed') requireTypedName(change, mode, await planeRisks(tx, change, mode), typedName)
    if (mode !== 'reject' && configsEdited({ pairs: pairsApproved(row, change) }, changeSetOf(change)))
      throw new ServiceError('conflict', 'The configuration of its machines was edited since this was decided.', {
        hint: 'Look at the change again, and decide anew.',
      })
    const reopened = await tx.change.updateMany({
      where: { id: change.id, state: 'waiting', fingerprint: row.fingerprint },
      data: { state: row.mode === 'reject' ? 'rejected' : 'approved' },
    })
    const taken = await tx.decision.updateMany({
      where: { id: decisionId, state: 'failed' },
      data: {
        ...{ state: 'recorded', claimedBy: null, claimedUntil: null, error: null },
        // Who covers its fields may be told anew since.
        ...(row.mode === 'reject' ? {} : pairsToKeep(await tx.change.findUniqueOrThrow({ where: { id: change.id } }))),
      },
    })
    if (taken.count === 0 || reopened.count === 0)
      throw new ServiceError('conflict', 'Only a failed decision on a change that still waits can be retried.', {
        hint: 'Look at the change again; it may have been decided or changed since.',
      })
    await announce(tx, { topic: 'changes', cluster: change.clusterId, ids: [change.id] })
    await recordAudit(tx, ctx, {
      action: 'decision.retried',
      target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
      cluster: { id: change.clusterId, name: change.cluster.name },
      details: { decision: decisionId, mode: row.mode },
    })
  })
  await applyOrLeave(decisionId, `retry:${decisionId}`, ctx)
  return decisionDto(await db().decision.findUniqueOrThrow({ where: { id: decisionId } }))
}
