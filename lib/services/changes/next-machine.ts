import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { nextStep } from '@/lib/domain/control-plane'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import type { DecisionMode } from './change-row'
import { goNow, lockOpen, recordOn } from './open-change'
import { planeRisks } from './plane'
import { NextMachineInput } from './schemas'
import { throughNow } from './steps'
import { requireNameToGoOn } from './typed-name'

/** How it goes on: as it was let go, or is to be. */
async function wayOf(tx: Tx, { id, dueMode }: Change): Promise<DecisionMode> {
  if (dueMode) return dueMode as DecisionMode
  const where = { changeId: id, mode: { not: 'reject' } }
  const last = await tx.decision.findFirst({ where, orderBy: { recordedAt: 'desc' }, select: { mode: true } })
  return last?.mode === 'replace' ? 'replace' : 'in-place'
}

/**
 * The next machine of a control plane that goes machine by machine, or all that are left. It was approved once, and goes on with
 * that, where its windows, freezes, waves, pauses and stops let it.
 */
export async function nextMachine(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { changeId, done, all, reason, typedName } = parseInput(NextMachineInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (!change.stepWaitsAt || change.stepsDone !== done)
      throw new ServiceError('conflict', 'It goes on already: somebody let the next machine go, or all others.', {
        hint: 'Look at where it stands now.',
      })
    requireNameToGoOn(change, await planeRisks(tx, change, await wayOf(tx, change)), typedName)
    // Also what was done since it waits: where one more had begun before it was held.
    const through = Math.max(change.stepsDone, await throughNow(tx, change, true))
    const steps = all ? null : nextStep({ through })
    // It does not stand still by then: what it is held for after that is as old as that.
    const free = { stepWaitsAt: null, stepMachine: null, stepGrantedAt: null, holdLevel: 0 }
    await tx.change.update({ where: { id: changeId }, data: { steps, ...free } })
    const details = { done: `${done} of ${change.machines}` }
    await recordOn(tx, ctx, change, all ? 'change.all-machines' : 'change.next-machine', reason ?? null, details)
  })
  await goNow(changeId)
}
