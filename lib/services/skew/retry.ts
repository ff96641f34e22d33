import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { skewActionDto, type SkewActionDto } from './action-row'
import { applySkewAction } from './apply'
import { RetryInput } from './schemas'

/** Applies a failed action again, for the very state that was looked at: where that has changed, it fails again and says so. */
export async function retrySkewAction(ctx: Ctx, input: unknown): Promise<SkewActionDto> {
  requirePermission(ctx, 'skew:act')
  const { actionId } = parseInput(RetryInput, input)
  await db().$transaction(async (tx) => {
    const row = await tx.skewAction.findUnique({ where: { id: actionId }, include: { cluster: true } })
    if (!row) throw new ServiceError('not-found', 'There is no such action.')
    await requireConnected(tx, row.clusterId)
    const taken = await tx.skewAction.updateMany({
      where: { id: actionId, state: 'failed' },
      data: { state: 'recorded', claimedBy: null, claimedUntil: null, error: null },
    })
    if (taken.count === 0)
      throw new ServiceError('conflict', 'Only a failed action can be retried; this one has not failed.')
    await recordAudit(tx, ctx, {
      action: 'skew.retried',
      target: { kind: 'MachineConfiguration', id: actionId, name: 'cluster' },
      cluster: { id: row.clusterId, name: row.cluster.name },
    })
  })
  await applySkewAction(actionId, `retry:${actionId}`, ctx)
  return skewActionDto(await db().skewAction.findUniqueOrThrow({ where: { id: actionId } }))
}
