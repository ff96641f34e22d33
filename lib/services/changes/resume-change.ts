import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { goNow, lockOpen, recordOn } from './open-change'
import { ResumeInput } from './schemas'

/** It goes on with what it was approved with, where its windows and freezes let it. */
export async function resumeChange(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { changeId, pausedAt, reason } = parseInput(ResumeInput, input)
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
    const none = { pausedBy: null, pausedReason: null, pausedAt: null }
    await tx.change.update({ where: { id: changeId }, data: none })
    await recordOn(tx, ctx, change, 'change.resumed', reason ?? null, { by: change.pausedBy })
  })
  await goNow(changeId)
}
