import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { lockOpen, recordOn } from './open-change'
import { RestoreTimesInput } from './schemas'
import { NOT_OVERRIDDEN } from './states'

/** Its windows and freezes hold it again; what has begun is finished. */
export async function restoreTimes(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:override')
  const { changeId } = parseInput(RestoreTimesInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (!change.overrideAt) throw new ServiceError('conflict', 'Its windows and freezes hold it already.')
    await tx.change.update({ where: { id: changeId }, data: NOT_OVERRIDDEN })
    await recordOn(tx, ctx, change, 'change.override-ended', null, { by: change.overrideBy })
  })
}
