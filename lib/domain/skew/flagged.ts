import { speaksAgainst } from './confidence'
import { standsTo, type EvidenceItem, type ImageVersion } from './evidence'
import { decisive, spoken } from './verdict'
import type { Recorded, SkewState } from './types'

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

/**
 * The same where a machine set cannot be dated, of a version that is newer than what is recorded: the operator records no such version
 * as long as it skips a set. Nothing older than the installation is known of, so that version is as good as any.
 */
export function notKnownOldest(
  image: ImageVersion,
  recorded: Recorded,
  items: readonly EvidenceItem[],
  install: string,
): string | null {
  const open = items.filter(({ source, sure }) => source === 'machine-sets' && sure === 'unknown')
  const word = decisive(recorded)
  const upTo = [word, ...(install === '0.0.0' ? [] : [{ kind: 'OCPVersion' as const, version: install }])]
  if (open.length === 0 || upTo.some((one) => one && standsTo(one, image) === 'not-older')) return null
  const said = spoken(image.kind === 'OCPVersion' ? { ocpVersion: image.version } : { rhcosVersion: image.version })
  const sets = open.map(({ sentence }) => sentence).join(' ')
  return `Nothing tells that ${said} is the oldest boot image in use: ${sets}`
}
