import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { log } from '@/lib/log'
import { claimable, claimed, claimEnds, RENEW_MS } from '../claim'
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

/** A cluster that is slow to answer may take longer than a claim: it is renewed for as long as somebody is at it. */
async function whileClaimed<T>(row: OpenShiftAction, work: () => Promise<T>): Promise<T> {
  const renew = () =>
    db()
      .openShiftAction.updateMany({ where: heldBy(row), data: { claimedUntil: claimEnds(new Date()) } })
      .catch((error: unknown) => log().warn({ err: error, actionId: row.id }, 'a claim could not be renewed'))
  const timer = setInterval(() => void renew(), RENEW_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

async function claim(id: string, who: string): Promise<OpenShiftAction | null> {
  const now = new Date()
  // Two processes may have the same number, and one verb may be called twice.
  const claimedBy = `${who}:${randomUUID()}`
  const { id: _, ...free } = claimable(id, now)
  // Nothing goes on by itself on a cluster that is being disconnected.
  const turn = { state: 'waiting', cluster: { state: { not: 'disconnected' } } }
  const { count } = await db().openShiftAction.updateMany({
    where: { id, kind: { in: [...kinds.keys()] }, OR: [free, turn] },
    data: claimed(claimedBy, now),
  })
  return count === 1 ? db().openShiftAction.findUniqueOrThrow({ where: { id } }) : null
}
