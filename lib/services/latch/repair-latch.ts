import { db } from '@/lib/db/client'
import { lastRefusal } from '../audit/last-refusal'
import { recordAudit } from '../audit/record'
import { ClusterId } from '../clusters/schemas'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { inspectLatch, type Inspection } from './inspect'
import { withLatchLock } from './lock'
import { mend, NOT_REPAIRED, retireBeside } from './mend'
import { latchError } from './outcome'
import type { LatchStatus } from './status'

/**
 * Puts the latch right. Where it is, but what held before is still there beside it, a person takes that away by it; the
 * keeper never does.
 */
export async function repairLatch(ctx: Ctx, input: unknown): Promise<LatchStatus> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId } = parseInput(ClusterId, input)
  return withLatchLock(clusterId, async () => {
    const seen = await lookFirst(ctx, clusterId, { sentence: NOT_REPAIRED })
    const { cluster } = seen.target
    if (cluster.latchForm === 'none') {
      throw new ServiceError('conflict', `No latch is installed on ${cluster.name}.`, { hint: 'Install it first.' })
    }
    const { state, beside, watchesBeside } = seen.status
    if (state === 'intact' && (beside || watchesBeside) && ctx.actor.kind !== 'system') return retireBeside(ctx, seen)
    return mend(ctx, seen)
  })
}

/** A repair that could not even look is on record, too. */
export async function lookFirst(
  ctx: Ctx,
  clusterId: string,
  { follows, sentence }: { follows?: boolean; sentence?: string },
): Promise<Inspection> {
  try {
    return await inspectLatch(clusterId, { follows })
  } catch (thrown) {
    const error = latchError(thrown, sentence)
    if (error === thrown || !(error instanceof ServiceError)) throw thrown
    const cluster = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId }, select: { name: true } })
    const about = {
      action: 'latch.repaired',
      target: { kind: 'Latch', id: clusterId, name: cluster.name },
      cluster: { id: clusterId, name: cluster.name },
    }
    const answer = error.more.answer ?? error.message
    if (answer !== (await lastRefusal(about.action, about.target)))
      await db().$transaction((tx) => recordAudit(tx, ctx, { ...about, result: 'refused', answer }))
    throw error
  }
}
