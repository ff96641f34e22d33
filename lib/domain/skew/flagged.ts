import { speaksAgainst } from './confidence'
import type { EvidenceItem, ImageVersion } from './evidence'
import { decisive, spoken } from './verdict'
import type { SkewState } from './types'

/** Why the evidence speaks against what was acknowledged, in one sentence; null: nothing does. */
export function flagged(
  state: Pick<SkewState, 'mode' | 'spec' | 'recorded'> | null,
  items: readonly EvidenceItem[],
): string | null {
  const word = state?.mode === 'Manual' && state.spec?.mode === 'Manual' ? decisive(state.recorded) : null
  if (!word || !state) return null
  const against = speaksAgainst(word, items)
  return against ? `${spoken(state.recorded)} was acknowledged as the oldest boot image, but ${against.sentence}` : null
}

/** The same of a version before it is acknowledged: recorded only where somebody says so. */
export function contradicted({ kind, version }: ImageVersion, items: readonly EvidenceItem[]): string | null {
  const against = speaksAgainst({ kind, version }, items)
  const said = spoken(kind === 'OCPVersion' ? { ocpVersion: version } : { rhcosVersion: version })
  return against ? `By the evidence ${said} is not the oldest boot image in use: ${against.sentence}` : null
}
