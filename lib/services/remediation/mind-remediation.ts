import { db } from '@/lib/db/client'
import { lockKnown, recordOn } from '../changes/open-change'
import { SkipRemediationInput } from '../changes/schemas'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'

/** Its machines are remediated as before, also in the middle of an update, and of one that a change which is over had begun: the worker takes its marks away. */
export async function mindRemediation(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { changeId } = parseInput(SkipRemediationInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockKnown(tx, changeId)
    if (!change.skipsAt) throw new ServiceError('conflict', 'Nobody has remediation of its machines skipped.')
    const none = { skipsBy: null, skipsAt: null, skipsRefused: null }
    await tx.change.update({ where: { id: changeId }, data: none })
    // Whoever asks for it again asks for all of them.
    await tx.remediationSkip.deleteMany({ where: { changeId } })
    await recordOn(tx, ctx, change, 'change.minds-remediation', null, { by: change.skipsBy })
  })
}
