import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { SkipWaveInput } from './schemas'
import { requireRun, requireWave, say } from './words'

/** Says that a wave is not waited for, and why: those after it may go before it is through, without its soaking. */
export async function skipWave(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { policyId, wish, wave, bound, reason } = parseInput(SkipWaveInput, input)
  await db().$transaction(async (tx) => {
    const run = await requireRun(tx, { policyId, wish })
    const { skipped } = requireWave(run, wave, bound)
    if (skipped) throw new ServiceError('conflict', `The wave ${wave} is not waited for already.`)
    await say(tx, ctx, run, { what: 'skip', wave, reason })
  })
}
