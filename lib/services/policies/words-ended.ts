import type { Tx } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { boundOf, withRest } from '@/lib/domain/waves'

/** What somebody said of a wave, and counts no more where that is written otherwise. */
export interface EndedWord {
  policy: string
  wave: string
  what: 'begin' | 'skip'
  by: string
}

/** What would count no more of what was said of waves. Of a policy without waves nothing waits for them. */
export async function wordsEnded(tx: Tx, before: readonly Policy[], after: readonly Policy[]): Promise<EndedWord[]> {
  const said = await tx.waveWord.findMany({
    where: { what: { in: ['begin', 'skip'] }, endedAt: null, lapsedAt: null },
    orderBy: { at: 'asc' },
  })
  const ended = said.flatMap(({ policyId, wave, what, bound, actorName: by }): EndedWord[] => {
    const [was, is] = [before, after].map((all) => all.find(({ id }) => id === policyId))
    if (!was || !is || !hasWaves(is) || bound === null || boundIn(was, wave) !== bound) return []
    return boundIn(is, wave) === bound ? [] : [{ policy: is.name, wave: wave!, what: what as EndedWord['what'], by }]
  })
  return [...new Map(ended.map((one) => [JSON.stringify(one), one])).values()]
}

const hasWaves = ({ spec: { waves } }: Policy): boolean => waves !== undefined && waves !== 'none' && waves.length > 0

function boundIn({ spec: { select, waves } }: Policy, wave: string | null): string | null {
  const all = waves === undefined || waves === 'none' ? [] : withRest(waves)
  const index = all.findIndex(({ name }) => name === wave)
  return index < 0 ? null : boundOf(select, all, index)
}
