import type { PlaneSaid } from './control-plane'
import type { ErrorFacts } from './errors'
import type { Amiss, HealthCheckSpec } from './health-checks'
import type { JoiningSaid } from './joining'
import type { Json } from './json'

/** States of a machine, with the weight that puts the worst first in lists. */
export const MACHINE_STATES = {
  failed: 90,
  'not-ready': 60,
  unknown: 40,
  updating: 30,
  deleting: 20,
  provisioning: 10,
  ready: 0,
} as const
export type MachineState = keyof typeof MACHINE_STATES

/** Weight of a machine that has an error, whatever its state: a drain that cannot go on is worse than a drain. */
export const ERROR_SEVERITY = 50

/** What a person should know of one machine. */
export interface StateOfMachine {
  state: MachineState
  sentence: string
  /** In its controllers' own words. */
  error: string | null
  /** Id of the entry of lib/domain/errors that explains it, and its words for lists. */
  trouble: string | null
  troubleWords: string | null
  /** An error that is not known, or only in general: it is counted. */
  unknown: ErrorFacts | null
}

/** What a provider knows of a machine: the columns of `machine` but for the cluster's id and the planner's verdict. */
export interface MachineRow extends Omit<StateOfMachine, 'state' | 'unknown'> {
  state: string
  id: string
  provider: string
  namespace: string
  name: string
  workloadCluster: string
  groupKind: string | null
  groupName: string | null
  machineSet: string | null
  controlPlane: boolean
  node: string | null
  version: string | null
  versionKey: string | null
  phase: string
  failureDomain: string | null
  severity: number
  ready: boolean
  available: boolean
  upToDate: boolean | null
  updating: boolean
  deleting: boolean
  /** Null: it is not being deleted. */
  deletingSince: string | null
  deleteMarked: boolean
  /** Since when a MachineHealthCheck finds it not healthy; null: none does. */
  checkFailedSince: string | null
  /** What the check says. */
  checkWords: string | null
  /** Its owner's reason and words on remediation, where that is wanted and not done. */
  remediationReason: string | null
  remediationWords: string | null
  /** Somebody has its remediation skipped. */
  skipRemediation: boolean
  /** The change for which Drydock did so. */
  skipMark: string | null
  labels: Readonly<Record<string, string>> | null
  /** What a health check may count, and is not as it should be; null: nothing. */
  amiss: readonly Amiss[] | null
  /** Since when it is not Ready; null: it is, or the workload cluster cannot be asked. */
  notReadySince: string | null
  unhealthy: boolean
  /** Of control plane machines of Cluster API. */
  plane: PlaneSaid | null
  bootImage: string | null
  /** What the image's own name says of its age: "RHCOS 9.6.20251015-0", "4.18.0". */
  bootImageVersion: string | null
  /** Since when at the latest its instance is there without a node; null: it is not, or has one. */
  provisionedSince: string | Date | null
  /** What the Machine says while that is so. */
  joining: JoiningSaid | null
  providerId: string | null
  resourceVersion: string
  createdAt: string | Date
}

export interface Condition {
  type: string
  /** "True", "False", "Unknown" */
  status: string
  reason: string
  message: string
  lastTransitionTime: string | null
}

/** Where a person's own pause stands: in the annotation, in spec.paused, or in both. */
export interface OwnPause {
  annotation: boolean
  spec: boolean
  /** Drydock's hold stands beside it: the latch lets nobody take the annotation away. */
  guarded: boolean
  /** The field manager that it is of; absent: nobody is known. */
  by?: string
}

/** The columns of `machine_group`, but for the cluster's id. */
export interface GroupRow {
  id: string
  kind: string
  apiVersion: string
  namespace: string
  name: string
  workloadCluster: string
  version: string | null
  desiredReplicas: number
  replicas: number
  readyReplicas: number
  availableReplicas: number
  upToDateReplicas: number
  strategy: string | null
  maxSurge: string | null
  maxUnavailable: string | null
  deletionOrder: string | null
  /** How long nodes are drained, and volumes detached, at most; null: it does not say. */
  drainSeconds: number | null
  detachSeconds: number | null
  paused: boolean
  ownPause: OwnPause | null
  held: string | null
  /** Since when it is paused, by Drydock or by a person, where its manager says so. */
  heldSince: string | null
  governed: boolean
  rollingOut: boolean
  /** Of a worker group of a managed Cluster: how its topology calls it. */
  topologyName: string | null
  /** Of a control plane: whose etcd it has. */
  etcd: 'managed' | 'external' | null
  conditions: readonly unknown[] | Json
  resourceVersion: string
  generation: number
  observedGeneration: number
  createdAt: string | Date
}

/** As it is read from its object. `governed` is null where that is not known yet: its row says what it said. */
export type ProjectedGroup = Omit<GroupRow, 'governed'> & { governed: boolean | null }

/** The columns of `workload_cluster`, but for the management cluster's id. */
export interface WorkloadClusterRow {
  id: string
  namespace: string
  name: string
  provider: 'cluster-api' | 'openshift'
  version: string | null
  phase: string | null
  topologyClass: string | null
  paused: boolean
  conditions: readonly unknown[] | Json
  /** Failure domains that control planes may use; null: nothing of the kind is known. */
  domains: readonly string[] | null
  labels: Readonly<Record<string, string>>
}

/** The columns of `machine_health_check`, but for the management cluster's id. */
export interface HealthCheckRow {
  id: string
  namespace: string
  name: string
  workloadCluster: string
  spec: HealthCheckSpec
  paused: boolean
  targets: number | null
  healthy: number | null
}
