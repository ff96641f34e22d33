import type { Tx } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { boundOf, withRest } from '@/lib/domain/waves'
import { wavedDto } from './timing'
import type { Open } from './touched-changes'

/** What somebody said of a wave, and counts no more where that is written otherwise; or of all, which holds so many changes no more. */
export type EndedWord =
  | { policy: string; wave: string; what: 'begin' | 'skip'; by: string }
  | { policy: string; what: 'stop'; by: string; changes: number }

/** What would count no more of what was said of waves. Of a policy without waves nothing waits for them. */
export async function wordsEnded(tx: Tx, before: readonly Policy[], after: readonly Policy[]): Promise<EndedWord[]> {
  const said = await tx.waveWord.findMany({
    where: { what: { in: ['begin', 'skip'] }, endedAt: null, lapsedAt: null },
    orderBy: { at: 'asc' },
  })
  const ended = said.flatMap(({ policyId, wave, what, bound, actorName: by }): EndedWord[] => {
    const [was, is] = [before, after].map((all) => all.find(({ id }) => id === policyId))
    if (!was || !is || !hasWaves(is) || bound === null || boundIn(was, wave) !== bound) return []
    return boundIn(is, wave) === bound ? [] : [{ policy: is.name, wave: wave!, what: what as 'begin' | 'skip', by }]
  })
  return [...new Map(ended.map((one) => [JSON.stringify(one), one])).values()]
}

/** Whose waves somebody stopped, and which then go by others, or by none: a stop is said of the waves of one policy. */
export function stopsEnded(open: readonly Open[]): EndedWord[] {
  const ended = new Map<string, EndedWord & { what: 'stop' }>()
  for (const { change, before, after } of open) {
    const was = before && wavedDto(before, change)
    if (was?.place?.state !== 'stopped' || wavedDto(after, change)?.place?.state === 'stopped') continue
    const { policy, place } = was
    const by = place.stoppedBy ?? 'somebody'
    const key = JSON.stringify([policy.id, by])
    ended.set(key, { policy: policy.name, what: 'stop', by, changes: (ended.get(key)?.changes ?? 0) + 1 })
  }
  return [...ended.values()]
}

const hasWaves = ({ spec: { waves } }: Policy): boolean => waves !== undefined && waves !== 'none' && waves.length > 0

function boundIn({ spec: { select, waves } }: Policy, wave: string | null): string | null {
  const all = waves === undefined || waves === 'none' ? [] : withRest(waves)
  const index = all.findIndex(({ name }) => name === wave)
  return index < 0 ? null : boundOf(select, all, index)
}
