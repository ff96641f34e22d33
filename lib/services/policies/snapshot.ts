import type { Decision } from '@/lib/db/generated/client'
import type { Resolved } from '@/lib/domain/policies'

/** What is kept with a decision: the rules that held, and who had approved. It stays readable when policies change. */
export interface PolicySnapshot {
  rules: Resolved
  /** Nobody had to approve it. */
  byItself: boolean
  approvals: { actorId: string; actorName: string; reason: string | null; at: string }[]
}

export const snapshotOf = (row: { policy: unknown }): PolicySnapshot | null => row.policy as PolicySnapshot | null

/** Approved, and let go when its time came: a verb decides within a moment of the last approval. */
export function cameLater(decision: Pick<Decision, 'policy' | 'recordedAt'>): boolean {
  const last = snapshotOf(decision)?.approvals.at(-1)
  return last !== undefined && decision.recordedAt.getTime() - Date.parse(last.at) > A_MOMENT_MS
}
const A_MOMENT_MS = 2_000
