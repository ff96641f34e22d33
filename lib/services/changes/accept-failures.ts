import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { forgiveFailures } from './failing'
import { goNow, lockOpen, recordOn } from './open-change'
import { AcceptFailuresInput } from './schemas'

/**
 * It goes on after it stopped by itself, with what it was approved with, where its windows, freezes and pauses let it. What
 * failed so far does not count any more; `again`: what fails from now on does.
 */
export async function acceptFailures(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { changeId, reason, again, stoppedAt } = parseInput(AcceptFailuresInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (change.stoppedAt?.toISOString() !== stoppedAt)
      throw new ServiceError('conflict', 'It goes on already, or stopped once more while you were looking at it.', {
        hint: 'Look at what failed, and decide again.',
      })
    const none = { stoppedBy: null, stoppedWhy: null, stoppedAt: null }
    // Also what failed since: it is accepted with the rest.
    await forgiveFailures(tx, change)
    await tx.change.update({ where: { id: changeId }, data: { ...none, neverStops: !again } })
    const details = { was: change.stoppedWhy, policy: change.stoppedBy, stops: again ? 'again' : 'not any more' }
    await recordOn(tx, ctx, change, 'change.failures-accepted', reason, details)
  })
  await goNow(changeId)
}
