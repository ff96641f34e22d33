import type { Condition } from '../skew/types'

/** A MachineConfigPool, as its rules need it; providers make it of the raw object. */
export interface Pool {
  name: string
  paused: boolean
  /** spec.maxUnavailable as it stands: a number, a percentage, or null for the default of one. */
  maxUnavailable: number | string | null
  counts: PoolCounts
  /** status.configuration.name: the last config that every node of the pool reached. */
  currentConfig: string | null
  /** spec.configuration.name: the config that its nodes are to have. */
  desiredConfig: string | null
  conditions: Condition[]
  certificates: Certificate[]
  /** The OS image that is built for it; null: none is, undefined: it is not known, or not there yet. */
  image?: string | null
  /** The controller has not looked at the newest spec yet. */
  pending: boolean
  /** Label operator.machineconfiguration.openshift.io/required-for-upgrade: the cluster's update waits for this pool. */
  required: boolean
}

export interface PoolCounts {
  machines: number
  updated: number
  ready: number
  unavailable: number
  degraded: number
}

/** One entry of status.certExpirys. */
export interface Certificate {
  bundle: string
  subject: string
  /** ISO 8601 */
  expiry: string
}

/** A node with what the machine config daemon wrote to it, and its MachineConfigNode where the cluster has those. */
export interface ConfigNode {
  name: string
  pool: string
  currentConfig: string | null
  desiredConfig: string | null
  /** Where its OS image is built for its pool. */
  currentImage: string | null
  desiredImage: string | null
  /** Annotation state: Done | Working | Rebooting | Degraded | Unreconcilable */
  state: string | null
  /** Annotation reason: why it is degraded. */
  reason: string | null
  /** The controller was asked to drain, and is not through. */
  draining: boolean
  ready: boolean
  /** Conditions besides Ready by which its operator takes it for not ready: "DiskPressure". */
  pressure: readonly string[]
  schedulable: boolean
  /** Conditions of the MachineConfigNode; null: there is none. */
  steps: Condition[] | null
}

export const PHASES = ['degraded', 'draining', 'updating', 'rebooting', 'pending', 'paused', 'updated'] as const
export type Phase = (typeof PHASES)[number]

export const POOL_STATES = ['degraded', 'behind', 'unknown', 'updating', 'waiting', 'paused', 'updated'] as const
/** `behind`: paused, and a config waits. `waiting`: the new release's config is not made yet. */
export type PoolState = (typeof POOL_STATES)[number]

export const MASTER = 'master'
/** One node with a member of etcd and nothing else, since 4.20. */
export const ARBITER = 'arbiter'
/** What is never held or paused from here: etcd would stand still with its nodes. */
export const CONTROL_PLANE_POOLS: readonly string[] = [MASTER, ARBITER]
