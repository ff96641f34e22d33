import type { ChangeSet, Outlook } from '@/lib/domain/changes'
import type { HullData } from '@/lib/domain/hull'
import type { PlanVerdict } from '@/lib/domain/plan'
import type { Hold } from '../changes/hold-of'
import type { PlanCourse } from './course'
import type { PlanPolicy, PlanPolicyProblem } from './plan-policy'

/** What became of one document of what was given. */
export type DocumentOutcome = 'changed' | 'unchanged' | 'new' | 'beside' | 'unknown' | 'invalid'

export interface PlanDocument {
  /** Where it begins, in the text that was given; null: it was not given but follows from one that was. */
  line: number | null
  apiVersion: string
  kind: string
  namespace: string
  name: string
  outcome: DocumentOutcome
  sentence: string
  /** Where it is wrong, in the text that was given. */
  errorLine?: number
  /** The API server's own words. */
  answer?: string
}

export interface PlanMachine {
  id: string
  name: string
  node: string | null
  version: string | null
  state: string | null
  sentence: string | null
  verdict: string | null
  verdictReason: string | null
  progress: null
}

/** What the plan would do to one group, in the shapes of a change that waits. */
export interface PlanGroup {
  /** Null: it does not exist yet. */
  groupId: string | null
  groupKind: string
  namespace: string
  groupName: string
  workloadCluster: string
  what: 'changed' | 'unchanged' | 'new' | 'deleted' | 'unknown'
  verdict: PlanVerdict
  summary: string
  fromVersion: string | null
  toVersion: string | null
  fingerprint: string
  machines: number
  headline: string
  changeSet: ChangeSet
  outlook: Outlook
  hull: HullData
  machinesList: PlanMachine[]
  /** What would keep it from moving by itself, were it applied now. */
  heldBy: Hold
  /** What cannot be determined, each in one sentence. Where there is one, nothing below is the whole of it. */
  undetermined: string[]
  notes: string[]
  /** Null: nothing would hold it, so no policy does; or nothing changes. */
  policy: PlanPolicy | PlanPolicyProblem | null
  /** Null: there is nothing to play forward, or the plan is about too many machines. */
  course: PlanCourse | null
  /** A change of the group that is not over: this would take its place, unless it is the very `same`. */
  waiting: { id: string; summary: string; same: boolean } | null
}

export interface PlanResult {
  clusterId: string
  clusterName: string
  verdict: PlanVerdict
  headline: string
  documents: PlanDocument[]
  groups: PlanGroup[]
}
