import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { isUpgrade } from '@/lib/domain/holds'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { growthOf } from '../scaling/growing'
import { lockOpen, recordOn } from './open-change'
import { LetWorkersGrowInput } from './schemas'

/**
 * Lets worker groups get machines, of the version that they have, while a higher version of their control plane waits: as long as
 * it waits and nothing of it has begun, the worker has the checks skipped that compare with that version.
 */
export async function letWorkersGrow(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:override')
  const { changeId, fingerprint } = parseInput(LetWorkersGrowInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (change.fingerprint !== fingerprint)
      throw new ServiceError('conflict', 'The desired state changed while you were looking at it.', {
        hint: 'Look at what it is now, and decide again.',
      })
    const growth = await growthOf(tx, changeId)
    if (growth?.grows) throw new ServiceError('conflict', `${change.workersGrowBy} has let them already.`)
    const versions = { from: change.fromVersion, to: change.toVersion }
    if (change.groupKind !== 'KubeadmControlPlane' || !isUpgrade(versions) || !growth)
      throw new ServiceError(
        'conflict',
        'No held version of a control plane keeps worker groups from getting machines here.',
        {
          hint: 'That is so only while a higher version waits, the group is held, and none of its machines has begun.',
        },
      )
    // By the clock of what ends it.
    const growing = { workersGrowBy: ctx.actor.name, workersGrowAt: await databaseNow(tx) }
    await tx.change.update({ where: { id: changeId }, data: growing })
    await recordOn(tx, ctx, change, 'change.workers-grow', null)
  })
}
