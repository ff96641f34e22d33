import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { forgiveFailures } from './failing'
import { lockOpen, recordOn } from './open-change'
import { RestoreLimitInput } from './schemas'

/** It stops by itself again, at as many failures from now on as its policy says. */
export async function restoreLimit(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:reject')
  const { changeId } = parseInput(RestoreLimitInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (!change.neverStops) throw new ServiceError('conflict', 'It stops by itself already, where its policy says so.')
    await forgiveFailures(tx, change)
    await tx.change.update({ where: { id: changeId }, data: { neverStops: false } })
    await recordOn(tx, ctx, change, 'change.limit-restored', null)
  })
}
