import type { Words } from '@/lib/domain/waves'
import type { WaveWord } from '@/lib/db/generated/client'
import { SAID_FOR_MS } from '@/lib/domain/waves'

/** Somebody's word about a wave. */
export interface Said {
  by: string
  reason: string | null
  at: string
}

/** One that counts no more: the wave is written otherwise since, or the same was wanted once more long after it. */
export interface Lapsed extends Said {
  id: string
  what: 'begin' | 'skip'
  wave: string
  why: 'written' | 'wanted'
}

export interface SaidOfWaves {
  words: Words
  /** Of each wave, by its name. */
  begun: ReadonlyMap<string, Said>
  skipped: ReadonlyMap<string, Said>
  lapsed: Lapsed[]
}

const saidBy = ({ actorName, reason, at }: WaveWord): Said => ({ by: actorName, reason, at: at.toISOString() })

/**
 * What people said of the waves of a run, as far as these are still written as they were when it was said, and it was said of what is
 * wanted. `newest`: of what is wanted again and again, since when the newest is known that is open (milliseconds).
 */
export function saidOf(
  spoken: readonly WaveWord[],
  { waves, bounds }: { waves: readonly { name: string }[]; bounds: readonly string[] },
  newest = -Infinity,
): SaidOfWaves {
  const bound = new Map(waves.map(({ name }, i) => [name, bounds[i]]))
  const wantedLater = ({ at }: WaveWord) => newest > at.getTime() + SAID_FOR_MS
  const counts = (word: WaveWord) =>
    word.lapsedAt === null && word.bound !== null && bound.get(word.wave ?? '') === word.bound && !wantedLater(word)
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
      const why = wantedLater(word) ? 'wanted' : 'written'
      return counts(word) || anew ? [] : [{ ...saidBy(word), id: word.id, what, wave, why }]
    }),
  }
}
