import type { Resolved } from '@/lib/domain/policies'

/** What is kept with a decision: the rules that held, and who had approved. It stays readable when policies change. */
export interface PolicySnapshot {
  rules: Resolved
  /** Nobody had to approve it. */
  byItself: boolean
  /** It was let go when its time had come, or gone on with. */
  byCalendar?: true
  approvals: { actorId: string; actorName: string; reason: string | null; at: string }[]
  /** Why it could not be sent before, when it was tried; the one that was met last stands last. */
  putOff?: PutOff[]
}

/** All tries that one thing stood in the way of. */
export interface PutOff {
  error: string
  first: string
  last: string
  count: number
}

export const snapshotOf = (row: { policy: unknown }): PolicySnapshot | null => row.policy as PolicySnapshot | null

/** Approved before, and let go when its time came. */
export const cameLater = (decision: { policy: unknown }): boolean => snapshotOf(decision)?.byCalendar === true
