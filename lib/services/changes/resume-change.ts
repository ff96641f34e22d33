import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { Way } from '@/lib/domain/control-plane'
import { resumedWay } from '@/lib/domain/changes/resumed-way'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { goNow, lockOpen, recordOn } from './open-change'
import { planeRisks } from './plane'
import { ResumeInput } from './schemas'
import { UNDER_WAY } from './states'
import { requireNameToGoOn } from './typed-name'

async function wayOf(tx: Tx, { id, state, dueMode, stoppedAt, stepWaitsAt }: Change): Promise<Way | null> {
  const newest = { where: { changeId: id }, orderBy: { recordedAt: 'desc' }, select: { mode: true } } as const
  const last = UNDER_WAY.includes(state) ? await tx.decision.findFirst(newest) : null
  return resumedWay({ isHeld: stoppedAt !== null || stepWaitsAt !== null, dueMode, last: last?.mode ?? null })
}

/** It goes on with what it was approved with, where its windows and freezes let it. */
export async function resumeChange(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { changeId, pausedAt, reason, typedName } = parseInput(ResumeInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (!change.pausedAt) throw new ServiceError('conflict', 'Nobody has paused it, or it was resumed already.')
    if (change.pausedUntilHeld)
      throw new ServiceError('conflict', `It is being held again: ${change.pausedBy} ${change.pausedReason}.`, {
        hint: 'It waits for approvals in a moment.',
      })
    if (pausedAt && pausedAt !== change.pausedAt.toISOString())
      throw new ServiceError('conflict', `It was resumed since, and ${change.pausedBy} paused it once more.`, {
        hint: 'Look at why, and resume that.',
      })
    const way = await wayOf(tx, change)
    if (way) requireNameToGoOn(change, await planeRisks(tx, change, way), typedName)
    const none = { pausedBy: null, pausedReason: null, pausedAt: null }
    await tx.change.update({ where: { id: changeId }, data: none })
    await recordOn(tx, ctx, change, 'change.resumed', reason ?? null, { by: change.pausedBy })
  })
  await goNow(changeId)
}
