import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { againstOf } from './against'
import { COUNTED_WHY, isToHold } from './counted'
import { forgiveFailures } from './failing'
import { goNow, lockOpen, recordOn } from './open-change'
import { AcceptFailuresInput } from './schemas'
import { LIVE, NOT_PAUSED, UNDER_WAY } from './states'

/**
 * It goes on after it stopped by itself, with what it was approved with, where its windows, freezes and pauses let it. What
 * failed so far does not count any more; `again`: what fails from now on does. What every machine has is done by that, stopped or
 * not: whatever was not Ready since is accepted as it is, and whoever said no to it is overruled, by name and with a reason.
 */
export async function acceptFailures(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { changeId, reason, again, stoppedAt, asDone } = parseInput(AcceptFailuresInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    // Going on is no word for that it is done, nor the other way round.
    if ((change.settling && UNDER_WAY.includes(change.state)) !== asDone) throw otherwise(asDone)
    if ((change.stoppedAt?.toISOString() ?? null) !== stoppedAt || (!asDone && !stoppedAt))
      throw new ServiceError('conflict', 'It goes on already, or stopped once more while you were looking at it.', {
        hint: 'Look at what failed, and decide again.',
      })
    // A word against it that whoever looked at it did not see yet.
    if (asDone && !stoppedAt && (await againstOf(tx, changeId))) throw otherwise(asDone)
    // With old machines there again it is being held, by what somebody said: it goes on by approvals.
    const said = !asDone && UNDER_WAY.includes(change.state) ? await saidBefore(tx, change) : null
    if (said)
      throw new ServiceError('conflict', `${said}: it is being held, and waits for approvals then.`, {
        hint: 'Look at its page again in a moment, and approve it there.',
      })
    const none = { stoppedBy: null, stoppedWhy: null, stoppedAt: null }
    if (asDone) await settleAsIs(tx, changeId)
    // Also what failed since: it is accepted with the rest.
    const failed = await forgiveFailures(tx, change)
    await tx.change.update({
      where: { id: changeId },
      // What was to be held is done: nothing is left to hold.
      data: { ...none, neverStops: !again, ...(asDone && change.pausedUntilHeld ? NOT_PAUSED : {}) },
    })
    const was = { was: change.stoppedWhy, policy: change.stoppedBy || null }
    if (asDone) await recordOn(tx, ctx, change, 'change.counted-done', reason, was)
    else
      await recordOn(tx, ctx, change, 'change.failures-accepted', reason, {
        ...{ ...was, failed: failed.join(', ') },
        stops: again ? 'again' : 'not any more',
      })
  })
  await goNow(changeId)
}

/** Of what every machine has: what was not Ready since, what has an error or still comes up, and a rejection that came when it had begun, keep nothing waiting. */
async function settleAsIs(tx: Tx, changeId: string): Promise<void> {
  await tx.$executeRaw`UPDATE change SET counted_done_at = clock_timestamp() WHERE id = ${changeId}::uuid`
  await tx.$executeRaw`SELECT 1 FROM machine_progress WHERE change_id = ${changeId}::uuid ORDER BY machine_id FOR UPDATE`
  await tx.$executeRaw`UPDATE machine_progress p SET failed_at = clock_timestamp(), failed_why = ${COUNTED_WHY}
    WHERE p.change_id = ${changeId}::uuid AND p.failed_at IS NULL AND p.state IN ('done', 'created', 'failed')
      AND ((p.started_at IS NOT NULL AND p.ready_at IS NULL) OR EXISTS (SELECT 1 FROM machine m WHERE m.id = p.machine_id
        AND (m.error IS NOT NULL OR m.state = 'provisioning')))`
  await tx.decision.updateMany({
    where: { changeId, mode: 'reject', state: { in: LIVE } },
    data: { state: 'voided', claimedUntil: null, awaitsTime: false },
  })
}

/** By what it is to be held; null: it stopped by itself. */
async function saidBefore(tx: Tx, change: Change): Promise<string | null> {
  if (isToHold(change)) return 'It was counted as done'
  return change.stoppedBy === '' && (await againstOf(tx, change.id)) ? 'Somebody said no to it' : null
}

const otherwise = (asDone: boolean): ServiceError =>
  asDone
    ? new ServiceError('conflict', 'It does not wait for its machines to be Ready any more, or not yet.', {
        hint: 'Look at its page again: what is left of it goes on first.',
      })
    : new ServiceError('conflict', 'Every machine has it by now: nothing is left that could go on.', {
        hint: 'Look at its page again, and count it as done there.',
      })
