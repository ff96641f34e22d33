import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { StopWavesInput } from './schemas'
import { stoppedWords } from './runs'
import { holdRun, requireRun, say } from './words'

/** Nothing more of a run begins, in any wave, until somebody lets it go on; machines that have begun are finished. */
export async function stopWaves(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:reject')
  const { policyId, wish, reason } = parseInput(StopWavesInput, input)
  await db().$transaction(async (tx) => {
    const run = await requireRun(tx, { policyId, wish })
    if (run.stopped) throw new ServiceError('conflict', `${run.stopped.by} has stopped it already.`)
    const { name: by } = ctx.actor
    await holdRun(tx, run, by, stoppedWords(by, reason ?? null))
    await say(tx, ctx, run, { what: 'stop', wave: null, reason })
  })
}
