import type { Way } from './model'

/** A group of a walk. */
export interface Walked {
  name: string
  isPlane: boolean
}

/** What is true by the events themselves. */
export interface Known {
  /** What it was last let go with, and in which ways. */
  letGo: { key: string; ways: readonly Way[] }
  /** Wanting this again it may go by itself; null: what it was let go with had a no since. */
  backTo: string | null
  heldSince: number | null
  releasedAt: number
  /** Machines that are made or gone for another reason than a rollout: deleted by somebody, or another number is wanted. */
  mayBeMade: number
  mayGo: number
  /** Whatever it was let go with so far, and how many machines of it are to come for those that went. */
  ever: Set<string>
  owed: number
  begun: number
  failed: number[]
  /** Every machine once had these. */
  had: Set<string>
}
