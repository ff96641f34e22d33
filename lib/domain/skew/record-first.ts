import { speaksAgainst } from './confidence'
import { olderThan, type BestEvidence, type EvidenceItem } from './evidence'
import type { VersionKind } from './types'

export interface RecordedFirst {
  versionKind: VersionKind
  version: string
  /** null: there is none. */
  why: string | null
}

/**
 * What is to be recorded before not all machine sets are managed any more, and the operator's own record is lost with that: the
 * record, unless a machine set speaks against it; then what the evidence says.
 */
export function recordFirst(
  { ocpVersion, rhcosVersion }: { ocpVersion: string | null; rhcosVersion: string | null },
  items: readonly EvidenceItem[],
  best: BestEvidence | null,
): RecordedFirst {
  const version = ocpVersion ?? rhcosVersion
  const evidence = best && { versionKind: best.versionKind, version: best.version, why: best.why }
  if (!version) return evidence ?? { versionKind: 'OCPVersion', version: '', why: null }
  const kind = ocpVersion ? 'OCPVersion' : 'RHCOSVersion'
  const record = { kind, version } as const
  const older = best && olderThan({ kind: best.versionKind, version: best.version }, record)
  if (evidence && older && speaksAgainst(record, items)) return evidence
  return { versionKind: kind, version, why: 'As its operator recorded it.' }
}
