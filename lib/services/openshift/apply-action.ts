import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { log } from '@/lib/log'
import { claimable, claimed, claimName, whileRenewed } from '../claim'
import { systemCtx, type Ctx } from '../context'
import { attemptStep } from './attempt-step'
import { finishStep, heldBy } from './finish-step'
import { kindOf, kinds } from './kinds'
import { markActionsSeen } from './mark-action-seen'
import { isDue } from './is-due'

/**
 * Applies a recorded action as far as it goes now: whoever claims it first, the verb itself or the worker after a crash.
 * Each patch carries the resourceVersion of the state that was looked at, so doing it a second time cannot do it twice.
 */
export async function applyAction(id: string, claimedBy: string, ctx: Ctx = systemCtx('applier')): Promise<void> {
  while (await isDue(id)) {
    const row = await claim(id, claimedBy)
    if (!row) return
    const kind = kindOf(row.kind)
    const result = await whileClaimed(row, () => attemptStep(row, kind))
    const state = await finishStep(row, kind, ctx, result)
    if (state === 'accepted') await markActionsSeen(row.clusterId, row.kind)
    if (state !== 'waiting') return
  }
}

/** For the verbs: what Drydock itself fails at is left to the worker, and the action stays recorded. */
export async function applyOrLeave(id: string, claimedBy: string, ctx: Ctx): Promise<void> {
  try {
    await applyAction(id, claimedBy, ctx)
  } catch (error) {
    log().error({ err: error, actionId: id }, 'a recorded action could not be applied; the worker takes it up')
  }
}

const whileClaimed = <T>(row: OpenShiftAction, work: () => Promise<T>): Promise<T> =>
  whileRenewed(
    { actionId: row.id },
    (claimedUntil) => db().openShiftAction.updateMany({ where: heldBy(row), data: { claimedUntil } }),
    work,
  )

async function claim(id: string, who: string): Promise<OpenShiftAction | null> {
  const [now, claimedBy] = [await databaseNow(db()), claimName(who)]
  const { id: _, ...free } = claimable(id, now)
  // Nothing goes on by itself on a cluster that is being disconnected.
  const turn = { state: 'waiting', cluster: { state: { not: 'disconnected' } } }
  const { count } = await db().openShiftAction.updateMany({
    where: { id, kind: { in: [...kinds.keys()] }, OR: [free, turn] },
    data: claimed(claimedBy, now),
  })
  // By then it may be another's: this attempt goes on under its own name alone, and finds so.
  return count === 1 ? { ...(await db().openShiftAction.findUniqueOrThrow({ where: { id } })), claimedBy } : null
}
