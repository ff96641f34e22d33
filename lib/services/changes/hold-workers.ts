import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { lockOpen, recordOn } from './open-change'
import { HoldWorkersInput } from './schemas'

/** Takes back that worker groups get machines while a version of their control plane waits: the checks are as they were. */
export async function holdWorkers(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:reject')
  const { changeId } = parseInput(HoldWorkersInput, input)
  await db().$transaction(async (tx) => {
    const change = await lockOpen(tx, changeId)
    if (!change.workersGrowAt) throw new ServiceError('conflict', 'Nobody has let worker groups get machines.')
    await tx.change.update({ where: { id: changeId }, data: { workersGrowBy: null, workersGrowAt: null } })
    await recordOn(tx, ctx, change, 'change.workers-held', null)
  })
}
