import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { rulesFor } from '../policies/rules-for'
import { closedWords, timingOf, UNTIMED } from '../policies/timing'
import { isUnwatched, stoppedUnplaced, UNWATCHED } from './not-placed'
import { goNow, lockOpen, recordOn } from './open-change'
import { OverrideInput } from './schemas'

/**
 * Lets one change go outside its windows, freezes and waves, by a named person and with a reason. It takes the place of no
 * approval; what is approved already goes at once.
 */
export async function overrideTimes(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:override')
  const { changeId, fingerprint, reason } = parseInput(OverrideInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (change.fingerprint !== fingerprint)
      throw new ServiceError('conflict', 'The desired state changed while you were looking at it.', {
        hint: 'Look at what it is now, and decide again.',
      })
    const rules = await rulesFor(tx, change)
    const now = await databaseNow(tx)
    const timing = timingOf(rules, { ...UNTIMED, overrideAt: change.overrideAt, wave: change.wave }, now)
    const isStopped = !timing.open && timing.why === 'wave' && timing.wave.place?.state === 'stopped'
    const stopped = isStopped ? closedWords(timing) : await stoppedUnplaced(tx, rules, change)
    if (stopped)
      throw new ServiceError('conflict', `It is ${stopped}.`, {
        hint: 'Let the waves go on first; that is asked on their page.',
      })
    if (timing.open && !(await isUnwatched(tx, rules, change)))
      throw new ServiceError('conflict', 'Nothing but approvals holds it: its time is now.')
    const was = timing.open ? UNWATCHED : closedWords(timing)
    const overridden = { overrideBy: ctx.actor.name, overrideReason: reason, overrideAt: now }
    await tx.change.update({ where: { id: changeId }, data: overridden })
    await recordOn(tx, ctx, change, 'change.override', reason, { was })
  })
  await goNow(changeId)
}
