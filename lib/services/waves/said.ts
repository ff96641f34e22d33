import type { Words } from '@/lib/domain/waves'
import type { WaveWord } from '@/lib/db/generated/client'

/** Somebody's word about a wave. */
export interface Said {
  by: string
  reason: string | null
  at: string
}

/** One that was said of the wave as it was written then: it counts no more. */
export interface Lapsed extends Said {
  id: string
  what: 'begin' | 'skip'
  wave: string
}

export interface SaidOfWaves {
  words: Words
  /** Of each wave, by its name. */
  begun: ReadonlyMap<string, Said>
  skipped: ReadonlyMap<string, Said>
  lapsed: Lapsed[]
}

const saidBy = ({ actorName, reason, at }: WaveWord): Said => ({ by: actorName, reason, at: at.toISOString() })

/** What people said of the waves of a run, as far as these are still written as they were when it was said. */
export function saidOf(
  spoken: readonly WaveWord[],
  { waves, bounds }: { waves: readonly { name: string }[]; bounds: readonly string[] },
): SaidOfWaves {
  const bound = new Map(waves.map(({ name }, i) => [name, bounds[i]]))
  const counts = (word: WaveWord) =>
    word.lapsedAt === null && word.bound !== null && bound.get(word.wave ?? '') === word.bound
  const of = (what: string) => spoken.filter((word) => word.what === what)
  const [begins, skips] = [of('begin').filter(counts), of('skip').filter(counts)]
  const standing = (words: readonly WaveWord[]) => new Map(words.map((word) => [word.wave ?? '', saidBy(word)]))
  const [begun, skipped] = [standing(begins), standing(skips)]
  return {
    words: {
      begun: new Set(begun.keys()),
      skipped: new Map(skips.map(({ wave, at }) => [wave ?? '', at.getTime()])),
    },
    ...{ begun, skipped },
    lapsed: [...of('begin'), ...of('skip')].flatMap((word): Lapsed[] => {
      const [what, wave] = [word.what as Lapsed['what'], word.wave ?? '']
      const anew = (what === 'begin' ? begun : skipped).has(wave)
      return counts(word) || anew ? [] : [{ ...saidBy(word), id: word.id, what, wave }]
    }),
  }
}
