import { speaksAgainst } from './confidence'
import { olderThan, type BestEvidence, type EvidenceItem } from './evidence'
import type { VersionKind } from './types'
import { releaseNumber } from './version'

export interface RecordedFirst {
  versionKind: VersionKind
  version: string
  /** null: there is none. */
  why: string | null
}

/**
 * What is to be recorded before not all machine sets are managed any more, and the operator's own record is lost with that: the
 * record, unless it is of no release, or a machine set speaks against it; then what the evidence says.
 */
export function recordFirst(
  { ocpVersion, rhcosVersion }: { ocpVersion: string | null; rhcosVersion: string | null },
  items: readonly EvidenceItem[],
  best: BestEvidence | null,
): RecordedFirst {
  const version = ocpVersion ?? rhcosVersion
  const evidence = best && { versionKind: best.versionKind, version: best.version, why: best.why }
  // An installation that nobody knows, or what stands for a release that is none, says nothing of an image.
  if (evidence && ocpVersion && !releaseNumber(ocpVersion)) return evidence
  if (!version) return evidence ?? { versionKind: 'OCPVersion', version: '', why: null }
  const kind = ocpVersion ? 'OCPVersion' : 'RHCOSVersion'
  const record = { kind, version } as const
  const older = best && olderThan({ kind: best.versionKind, version: best.version }, record)
  if (evidence && older && speaksAgainst(record, items)) return evidence
  return { versionKind: kind, version, why: 'As its operator recorded it.' }
}
