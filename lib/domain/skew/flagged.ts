import { olderThan, type DatedImage } from './evidence'
import { decisive, spoken } from './verdict'
import type { SkewState } from './types'

/** Why an acknowledged version is no longer what the evidence says, in one sentence; null: nothing speaks against it. */
export function flagged(
  state: Pick<SkewState, 'mode' | 'spec' | 'recorded'> | null,
  sets: readonly { name: string; dated: DatedImage | null }[],
): string | null {
  const word = state?.mode === 'Manual' && state.spec?.mode === 'Manual' ? decisive(state.recorded) : null
  if (!word || !state) return null
  const against = sets.find(({ dated }) => dated !== null && olderThan(dated, word))
  return against
    ? `${spoken(state.recorded)} was acknowledged as the oldest boot image, but ${against.name} ${against.dated!.because}.`
    : null
}
