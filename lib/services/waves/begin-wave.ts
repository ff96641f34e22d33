import { db } from '@/lib/db/client'
import { needsReason } from '../changes/decidable'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { reasonAsked } from './reason-asked'
import { BeginWaveInput } from './schemas'
import { requireRun, requireWave, say } from './words'

/** Says that a wave may begin as soon as those before it are through. It is said of this run only. */
export async function beginWave(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { policyId, wish, wave, bound, reason } = parseInput(BeginWaveInput, input)
  await db().$transaction(async (tx) => {
    const run = await requireRun(tx, { policyId, wish })
    const { asksPerson, index } = requireWave(run, wave, bound)
    if (!asksPerson) {
      const said = run.said.begun.get(wave)
      const why = said
        ? `${said.by} has said already that the wave ${wave} begins.`
        : `Nobody is asked whether the wave ${wave} begins.`
      throw new ServiceError('conflict', why)
    }
    const asks = reason === undefined ? await reasonAsked(tx, run, index) : null
    if (asks) throw needsReason(`${asks} asks for a reason.`)
    await say(tx, ctx, run, { what: 'begin', wave, reason })
  })
}
