import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import { parseInput, requirePermission, requireSome, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { actionDto, type ActionDto } from './action-row'
import { applyOrLeave } from './apply-action'
import { permissionOf } from './kind'
import { kindOf, kinds } from './kinds'
import { onlyOne } from './only-one'
import { RetryInput } from './schemas'
import { requireNewest } from './supersede'

/**
 * Goes on with a failed action where it stands, for the very state that was looked at: where that has changed, it fails
 * again and says so.
 */
export async function retryAction(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requireSome(
    ctx,
    [...kinds.values()].map((kind) => kind.permission),
  )
  const { actionId } = parseInput(RetryInput, input)
  const row = await db().openShiftAction.findUnique({ where: { id: actionId }, include: { cluster: true } })
  if (!row) throw new ServiceError('not-found', 'There is no such action.')
  const kind = kindOf(row.kind)
  requirePermission(ctx, permissionOf(kind, row.action))
  const target = kind.target(row.target)
  await onlyOne(row.clusterId, row.target, target.words, () =>
    db().$transaction(async (tx) => {
      await requireConnected(tx, row.clusterId)
      await requireNewest(tx, row, target.words)
      const taken = await tx.openShiftAction.updateMany({
        where: { id: actionId, state: 'failed' },
        data: { state: 'recorded', claimedBy: null, claimedUntil: null, error: null },
      })
      if (taken.count === 0)
        throw new ServiceError('conflict', 'Only a failed action can be retried; this one has not failed.')
      await announce(tx, { topic: kind.topic, cluster: row.clusterId, ids: [actionId] })
      await recordAudit(tx, ctx, {
        action: `${kind.audit}.retried`,
        target: { kind: kind.objectKind, id: actionId, name: target.name },
        cluster: { id: row.clusterId, name: row.cluster.name },
      })
    }),
  )
  await applyOrLeave(actionId, `retry:${actionId}`, ctx)
  return actionDto(await db().openShiftAction.findUniqueOrThrow({ where: { id: actionId } }))
}
