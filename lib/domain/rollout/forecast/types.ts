import type { Candidate } from '../priority'
import type { DeletionOrder, RolloutStrategy } from '../types'

/** What takes time in a rollout. */
export type Work = 'update' | 'create' | 'delete'

/** Milliseconds that this piece of work takes. */
export type Draw = (work: Work) => number

/** Milliseconds from the end of one machine's work until the controllers begin with the next: nothing moves before. */
export type Gap = () => number

export interface ForecastMachine extends Candidate {
  hasNode: boolean
  /** Ready for long enough to count. */
  available: boolean
  /** Of one that is not available: what it says, in a sentence. */
  says?: string
  /** Marked by a MachineHealthCheck. */
  remediate?: boolean
}

export interface ForecastSet {
  name: string
  createdAt: number
  /** Has the wanted template. */
  wanted: boolean
  /** Updaters cover everything that differs, and it was (or would be) approved in place. */
  canUpdate: boolean
  /** Replaced whatever anybody says (rollout.after). */
  certainReplace?: boolean
  machines: readonly ForecastMachine[]
}

export interface DeploymentInput {
  replicas: number
  strategy: RolloutStrategy
  order: DeletionOrder
  /** Milliseconds since the epoch; ages count from here. */
  now: number
  sets: readonly ForecastSet[]
}

/** One machine on its way. Times are milliseconds from the start. */
export interface Move {
  machine: string
  work: Work
  from: number
  to: number
}

/** The group from this moment until the next frame. */
export interface Frame {
  at: number
  available: number
  machines: number
  /** Of the wanted revision, and available. */
  done: number
}

export interface Forecast {
  /** By when they begin. What ends after `ends` does not exist: the last one ends it. */
  moves: Move[]
  frames: Frame[]
  /** Fewer than this are never available by the strategy. */
  floor: number
  lowest: number
  /** How many there are before anything begins, and the most that exist at once. */
  start: number
  most: number
  /** When it is over; null: it would not end by itself, for the reason in `stalled`. */
  ends: number | null
  stalled?: string
}
