import { db } from '@/lib/db/client'
import { lockOpen, recordOn } from '../changes/open-change'
import { SkipRemediationInput } from '../changes/schemas'
import { LIVE } from '../changes/states'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { cannotSkip } from './may-patch'

/**
 * From now on the worker has remediation of each machine of this change skipped while it is updated in place, and restores what
 * was there. It approves nothing, and nothing is written before the change is let go.
 */
export async function skipRemediation(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { changeId } = parseInput(SkipRemediationInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (change.skipsAt) throw new ServiceError('conflict', `${change.skipsBy} has asked for that already.`)
    const replacing = { changeId, mode: 'replace', state: { in: LIVE } }
    if ((await tx.decision.count({ where: replacing })) > 0)
      throw new ServiceError('conflict', 'It goes replacing: no machine of it is updated in place.')
    const { discovery } = await tx.managementCluster.findUniqueOrThrow({
      where: { id: change.clusterId },
      select: { discovery: true },
    })
    const why = cannotSkip(discovery)
    if (why) throw new ServiceError('conflict', 'Drydock cannot skip remediation on this cluster.', { hint: why })
    const skips = { skipsBy: ctx.actor.name, skipsAt: new Date(), skipsRefused: null }
    await tx.change.update({ where: { id: changeId }, data: skips })
    await recordOn(tx, ctx, change, 'change.skips-remediation', null)
  })
}
