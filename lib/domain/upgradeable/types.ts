import type { JsonObject } from '../json'
import type { Condition, HistoryEntry } from '../skew/types'

/**
 * How the Cluster Version Operator reports what keeps updates closed: up to 4.22 by sub-conditions of ClusterVersion, from 4.23 on
 * by risks, of which only words remain there.
 */
export type Form = 'conditions' | 'risks'

export interface OperatorFacts {
  /** ClusterOperator's name */
  name: string
  upgradeable: Condition | undefined
}

/** ClusterVersion.spec.overrides, one entry: an object whose care was taken from the Cluster Version Operator. */
export interface Override {
  kind: string
  group: string
  namespace: string
  name: string
  unmanaged: boolean
}

/** What is read of one cluster; null: the ConfigMap is not there; undefined: it cannot be read. */
export type ConfigData = Record<string, string> | null | undefined

export interface UpgradeFacts {
  /** ClusterVersion.status.history, the newest first */
  history: readonly HistoryEntry[]
  /** ClusterVersion.status.desired.version: the release whose Cluster Version Operator is at work */
  desired: string | null
  /** ClusterVersion.status.conditions; null: there is no ClusterVersion to read */
  conditions: readonly Condition[] | null
  overrides: readonly Override[]
  operators: readonly OperatorFacts[]
  /** openshift-config-managed/admin-gates */
  gates: ConfigData
  /** openshift-config/admin-acks */
  acks: ConfigData
}

export type BlockerSource = 'operator' | 'gate' | 'gates' | 'overrides' | 'deletion' | 'updating' | 'other'

/** One reason why updates to another minor version are closed. */
export interface Blocker {
  source: BlockerSource
  /** The ClusterOperator's or the gate's name; empty where there is only one of the source. */
  item: string
  /** The reason as its operator gives it. */
  reason: string
  /** Its operator's own words, verbatim. */
  message: string
  since: string | null
  /**
   * both: ClusterVersion says so, too; not-yet: it will when the Cluster Version Operator looks next; no-longer: only ClusterVersion
   * still says so.
   */
  said: 'both' | 'not-yet' | 'no-longer'
}

/** unknown: the acknowledgements cannot be read. */
export type GateState = 'waiting' | 'unknown' | 'acknowledged' | 'malformed' | 'empty' | 'other-release' | 'no-gate'

/** As kept of a gate that cannot be read any more: shown nowhere, and for how long it was there is not forgotten. */
export const UNREAD = 'unread'

export interface Gate {
  name: string
  /** The gate's own words; empty for an acknowledgement without gate. */
  text: string
  state: GateState
  /** "4.21": the minor version whose clusters it stops; null where the name says none. */
  release: string | null
  /** As stored in admin-acks; null: nothing is. */
  ack: string | null
}

/** closing: its operators say no, and ClusterVersion has not taken that up. */
export type UpgradeState = 'closed' | 'closing' | 'unknown' | 'open'

export interface Upgradeability {
  state: UpgradeState
  /** One or two short sentences for people. */
  sentence: string
  form: Form
  blockers: Blocker[]
  gates: Gate[]
}

/** One thing that can be done about a blocker. */
export interface Remedy {
  sentence: string
  /** The exact patch. Drydock makes none of these itself but where it offers a button. */
  patch?: Patch
  link?: { label: string; href: string }
  /** What the button to acknowledge does as well. */
  acknowledges?: true
}

export interface Patch {
  /** As the command line takes it: "machineconfigurations.operator.openshift.io/cluster" */
  object: string
  namespace?: string
  path: string
  body: JsonObject
}
