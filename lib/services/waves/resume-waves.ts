import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { ResumeWavesInput } from './schemas'
import { requireRun, unsay } from './words'

/** Lets a run go on that somebody stopped: what was approved goes when its wave is open. */
export async function resumeWaves(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { policyId, wish, stoppedAt, reason } = parseInput(ResumeWavesInput, input)
  await db().$transaction(async (tx) => {
    const run = await requireRun(tx, { policyId, wish })
    if (!run.stopped) throw new ServiceError('conflict', 'Nobody has stopped it.')
    const { by, reason: why, at } = run.stopped
    if (stoppedAt && stoppedAt !== at)
      throw new ServiceError(
        'conflict',
        `It was let go on since, and ${by} stopped it once more${why ? `: “${why}”` : ''}.`,
        { hint: 'Look at why, and let that go on.' },
      )
    await unsay(tx, ctx, run, { what: 'stop', wave: null, reason })
  })
}
