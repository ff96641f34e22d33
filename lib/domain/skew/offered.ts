import { olderThan, type BestEvidence, type EvidenceItem } from './evidence'
import type { Recorded, VersionKind } from './types'

export interface Offered {
  versionKind: VersionKind
  version: string
  why: string | null
}

/**
 * What an acknowledgement begins with: the best evidence, but nothing that may be newer than what is acknowledged already (`word`) while
 * a machine set could not be dated: whoever acknowledged the older version may know that set. Nor the version of the installation, where
 * no set tells anything: that none is older is no word against what is acknowledged.
 */
export function offered(
  best: BestEvidence | null,
  word: Recorded | null,
  items: readonly EvidenceItem[],
): Offered | null {
  const evidence = best && { versionKind: best.versionKind, version: best.version, why: best.why }
  const version = word?.ocpVersion ?? word?.rhcosVersion
  if (!version) return evidence
  const versionKind = word?.ocpVersion ? 'OCPVersion' : 'RHCOSVersion'
  const open = items.some(({ source, sure }) => source === 'machine-sets' && sure === 'unknown')
  const newer = best && !olderThan({ kind: best.versionKind, version: best.version }, { kind: versionKind, version })
  const isInstall =
    best?.sure === 'at-least' && !items.some(({ source, sure }) => source === 'machine-sets' && sure !== 'unknown')
  if (evidence && !(open && newer) && !isInstall) return evidence
  const why = evidence?.version === version ? evidence.why : ['As it is acknowledged.', evidence?.why].join(' ').trim()
  return { versionKind, version, why }
}
