import { speaksAgainst } from './confidence'
import type { EvidenceItem, ImageVersion } from './evidence'
import { decisive, isAcknowledged, spoken } from './verdict'
import type { SkewState } from './types'

type Said = Pick<SkewState, 'mode' | 'spec' | 'recorded'>

const wordOf = (state: Said): ImageVersion | null => (isAcknowledged(state) ? decisive(state.recorded) : null)

/** Why the evidence speaks against what was acknowledged, in one sentence; null: nothing does. */
export function flagged(state: Said | null, items: readonly EvidenceItem[]): string | null {
  const word = state && wordOf(state)
  if (!word || !state) return null
  const against = speaksAgainst(word, items)
  return against ? `${spoken(state.recorded)} was acknowledged as the oldest boot image, but ${against.sentence}` : null
}

/** Whether it was said of what is acknowledged now. */
export const isFlagOf = (flag: string, state: Said | null): boolean =>
  state !== null && wordOf(state) !== null && flag.startsWith(`${spoken(state.recorded)} was acknowledged`)

/** The same of a version before it is acknowledged: recorded only where somebody says so. */
export function contradicted({ kind, version }: ImageVersion, items: readonly EvidenceItem[]): string | null {
  const against = speaksAgainst({ kind, version }, items)
  const said = spoken(kind === 'OCPVersion' ? { ocpVersion: version } : { rhcosVersion: version })
  return against ? `By the evidence ${said} is not the oldest boot image in use: ${against.sentence}` : null
}
