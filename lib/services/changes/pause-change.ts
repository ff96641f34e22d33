import { db, type Tx } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { rulesFor } from '../policies/rules-for'
import { goingByItself, UNTOUCHED } from './by-itself'
import { changeSetOf } from './change-row'
import { lockOpen, recordOn, type OpenChange } from './open-change'
import { LIVE, UNDER_WAY } from './states'
import { movingUnapproved } from './let-go-outside'
import { PauseInput } from './schemas'

/**
 * Nothing more of a rollout begins until somebody resumes it; machines that have begun are finished. What it was approved
 * with stands, and so does that its policy asks nobody. What moves because somebody took its hold away, or because nothing held it, is
 * held by it, and waits for approvals then. Not of what is not governed.
 */
export async function pauseChange(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:reject')
  const { changeId, reason } = parseInput(PauseInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (change.pausedAt) throw new ServiceError('conflict', `${change.pausedBy} has paused it already.`)
    if (change.settling)
      throw new ServiceError('conflict', 'Every machine has it already: nothing is left to pause.', {
        hint: `It is done when each of them was Ready since.${hasDateAhead(change) ? ' What moves at its date is kept back by a freeze.' : ''}`,
      })
    const live = { changeId, mode: { not: 'reject' }, state: { in: LIVE } }
    const letGo = UNDER_WAY.includes(change.state) && (await tx.decision.count({ where: live })) > 0
    const goes = letGo || change.dueMode !== null || (await goesByItself(tx, change))
    if (!goes && (await movingUnapproved(tx, [changeId])).size === 0)
      throw new ServiceError('conflict', 'Nothing of it was let go here that could be paused.', {
        hint: 'What waits moves only when somebody approves it; what others let go has to be paused in the cluster.',
      })
    const paused = { pausedBy: ctx.actor.name, pausedReason: reason ?? null, pausedAt: new Date() }
    await tx.change.update({ where: { id: changeId }, data: paused })
    await recordOn(tx, ctx, change, 'change.paused', reason ?? null)
  })
}

/** Nothing of it was let go yet, and it goes without anybody's approval when its time comes: also to its version first. */
async function goesByItself(tx: Tx, change: OpenChange): Promise<boolean> {
  const untouched = { ...UNTOUCHED, id: change.id, heldBy: { in: [...UNTOUCHED.heldBy.in, 'hook' as const] } }
  if ((await tx.change.count({ where: untouched })) === 0) return false
  const rules = await rulesFor(tx, change)
  return (await goingByItself(tx, [{ change, rules }])).has(change.id)
}

const hasDateAhead = (change: Parameters<typeof changeSetOf>[0]): boolean =>
  changeSetOf(change).pairs.some(({ changes }) =>
    changes.some(({ path, desired }) => path === 'rollout.after' && Date.parse(String(desired)) > Date.now()),
  )
