import type { Approval, Decision } from '@/lib/db/generated/client'

/**
 * What became of an approval by which nothing went: expired, or as it was ended; fell: with the change, or the decision, that it
 * was given for. Null: it stands, or something went by it.
 */
export type ApprovalFate = 'expired' | 'withdrawn' | 'rejected' | 'anew' | 'fewer' | 'config' | 'fell'

type Given = Pick<Approval, 'actorId' | 'mode' | 'at' | 'endedAt' | 'endedWhy' | 'expiresAt' | 'begun' | 'decisionId'>
interface Its {
  finishedAt: Date | null
  decisions: Pick<Decision, 'id' | 'acceptedAt'>[]
}

const KNOWN: readonly string[] = ['withdrawn', 'rejected', 'anew', 'fewer', 'config'] satisfies ApprovalFate[]
const isKnown = (why: string | null): why is ApprovalFate => why !== null && KNOWN.includes(why)

export function fateOf(approval: Given, change: Its, now = new Date()): ApprovalFate | null {
  const { endedAt, endedWhy, expiresAt, begun, decisionId } = approval
  if (begun || change.decisions.some(({ id, acceptedAt }) => id === decisionId && acceptedAt !== null)) return null
  const until = endedAt ?? change.finishedAt
  // What had expired by then, nothing else ended.
  if (expiresAt && expiresAt <= (until ?? now) && endedWhy !== 'withdrawn') return 'expired'
  if (!until) return null
  return isKnown(endedWhy) ? endedWhy : 'fell'
}

/** Both are written in one transaction, each with its own clock. */
const SAME_MS = 60_000

/** The approval that an event tells of; the event does not name it. */
export function approvalOf<T extends Given>(
  approvals: readonly T[],
  { at, actor, details }: { at: string; actor: { id: string }; details: Record<string, unknown> },
): T | null {
  const off = (approval: T) => Math.abs(approval.at.getTime() - Date.parse(at))
  const theirs = approvals.filter(({ actorId, mode }) => actorId === actor.id && mode === details.mode)
  const [nearest] = theirs.sort((a, b) => off(a) - off(b))
  return nearest && off(nearest) <= SAME_MS ? nearest : null
}
