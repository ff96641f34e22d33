import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { WaitForWaveInput } from './schemas'
import { placeAnew, requireRun, requireWave, unsay } from './words'

/** Takes back that a wave is not waited for: those after it that have not begun wait for it again. */
export async function waitForWave(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:reject')
  const { policyId, wish, wave } = parseInput(WaitForWaveInput, input)
  await db().$transaction(async (tx) => {
    const run = await requireRun(tx, { policyId, wish })
    if (!requireWave(run, wave).skipped) throw new ServiceError('conflict', `The wave ${wave} is waited for.`)
    await placeAnew(tx, run)
    await unsay(tx, ctx, run, { what: 'skip', wave })
  })
}
