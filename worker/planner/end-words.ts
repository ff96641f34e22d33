import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '@/lib/services/audit/record'
import { WORD_ENDED } from '@/lib/services/changes/said-of-waves'
import { systemCtx } from '@/lib/services/context'

const WHY = {
  over: 'Nothing that it was said of is open any more.',
  written: 'Its wave is written otherwise since.',
  wanted: 'The same was wanted once more, long after it.',
}

/** What people said of waves, and ends by itself: each is on record once, whoever sees it first. `end` returns their ids. */
export async function endWords(why: keyof typeof WHY, end: string, ...values: unknown[]): Promise<void> {
  await db().$transaction(async (tx) => {
    const found = await tx.$queryRawUnsafe<{ id: string }[]>(end, ...values)
    if (found.length === 0) return
    const words = await tx.waveWord.findMany({
      where: { id: { in: found.map(({ id }) => id) } },
      orderBy: { at: 'asc' },
    })
    const policies = await tx.rolloutPolicy.findMany({
      where: { id: { in: words.map(({ policyId }) => policyId) } },
      select: { id: true, name: true },
    })
    const names = new Map(policies.map(({ id, name }) => [id, name]))
    await announce(tx, { topic: 'policies', ids: [...names.keys()] })
    for (const { policyId, wish, wave, what: said, actorName: by, lapsedAt } of words) {
      // What had lapsed counted no more, and is on record.
      if (why === 'over' && lapsedAt !== null) continue
      await recordAudit(tx, systemCtx('waves'), {
        action: WORD_ENDED,
        target: { kind: 'RolloutPolicy', id: policyId, name: names.get(policyId) ?? '' },
        reason: WHY[why],
        details: { wish, said, by, ...(wave === null ? {} : { wave }) },
      })
    }
  })
}
