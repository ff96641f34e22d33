/** "1" as a number, or "25%" of the replicas. */
export type IntOrPercent = number | string

export type RolloutStrategy =
  { type: 'RollingUpdate'; maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } | { type: 'OnDelete' }

export type DeletionOrder = 'Random' | 'Newest' | 'Oldest'

/** What planning needs of a MachineSet. Times are milliseconds since the epoch. */
export interface SetState {
  name: string
  createdAt: number
  /** spec.replicas */
  spec: number
  /** status.replicas, status.availableReplicas, status.upToDateReplicas */
  status: number
  available: number
  upToDate: number
  /** The three annotations of in-place updates, as they are on the object. */
  moveTo?: string
  receiveFrom?: string[]
  acknowledged?: string[]
  /** Two more annotations, as they are on the object. */
  revision?: number
  disableMachineCreate?: boolean
}

export interface OldSetState extends SetState {
  /** False: replaced whatever an updater says (rollout.after has passed, or a discarded duplicate). */
  eligible: boolean
  /** Has the wanted template, but is not the set that was chosen. */
  discarded?: boolean
}

export interface RolloutState {
  replicas: number
  strategy: RolloutStrategy
  /** The MachineSet of the wanted revision; all zero where it does not exist yet. */
  current: SetState
  /** It does not exist yet: this pass makes it. */
  creates?: boolean
  olds: OldSetState[]
  /** Machines of the current set that were moved there and are not counted yet. */
  pendingMoves: string[]
  /** Any Machine of the deployment is being updated in place. */
  updating: boolean
  /** The feature gate InPlaceUpdates. */
  inPlaceUpdates: boolean
}

/**
 * `production`: annotations are made anew in every pass, as the controller writes them. `harness`: they stay until
 * changed, and machines go in the order of their numbers, as in Cluster API's own planner tests.
 */
export type PlanMode = 'production' | 'harness'

/** What one MachineSet shall look like after this pass. */
export interface SetPlan {
  name: string
  /** spec.replicas before and after */
  from: number
  replicas: number
  moveTo?: string
  receiveFrom?: string[]
  acknowledged?: string[]
  disableMachineCreate: boolean
  revision?: number
  /** Why, in the controller's own words. */
  notes: string[]
}

export interface RolloutPlan {
  current: SetPlan
  /** Oldest first. */
  olds: SetPlan[]
}
