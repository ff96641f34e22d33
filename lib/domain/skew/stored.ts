import type { PassCounts } from '../boot-images/counts'
import type { Evidence } from './evidence'
import type { Floor, Quoted } from './floors'
import type { FollowsInput } from './follows'
import type { Condition, HistoryEntry, Managers, Platform } from './types'

/** What is kept of a cluster beside its columns: the evidence, and what the preview of an action rests on. */
export interface StoredEvidence extends Evidence {
  platform: Platform
  /** Without `completionTime` where it was stored before. */
  history: (HistoryEntry & { completionTime?: string | null })[]
  /** When the release that the cluster runs was complete, ISO; null, and absent where it was stored before: not known. */
  completedAt?: string | null
  /** ConfigMap releaseVersion as x.y.z, where it is a release; what is recorded where it is none; and the newest RHCOS release of its stream */
  streamVersion: string | null
  placeholder?: string | null
  streamRelease: string | null
  /** RHCOS versions that the release has for the cluster's platform; absent: stored before. */
  rhcos?: readonly string[]
  /** What the controller would do with the sets if all were managed. */
  sets: FollowsInput['sets']
  /** ClusterOperator machine-config, condition Upgradeable: confirms the verdict, or names another reason. */
  operator: Condition | null
  /** ClusterVersion, condition Upgradeable. */
  updates: Condition | null
  /** What the controller says of its last pass; null: nothing that can be read. */
  pass: PassCounts | null
  /** What the operator has quoted of its floor; null, and absent where it was stored before: nothing. */
  quoted?: Quoted | null
  unsure?: Floor['unsure']
}

/** The floor as it was told last; null: there is none. */
export function storedFloor(row: {
  floorOcp: string | null
  floorRhel: string | null
  evidence: unknown
}): Floor | null {
  const { floorOcp: ocp, floorRhel: rhel } = row
  const { unsure, quoted } = row.evidence as Partial<StoredEvidence>
  if (!ocp || !rhel) return null
  return { ocp, rhel, source: quoted ? 'cluster' : 'table', ...(unsure && { unsure }) }
}

export interface StoredManagers {
  spec: Managers | null
  effective: Managers | null
  /** "All machine sets", "None", "Partial, 1 of 4" */
  words: string
}
