import { durationOf } from './expiry'
import type { Resolved } from './types'

/** One person's word on a change, as it is kept. Newest last. */
export interface Approval {
  actorId: string
  mode: 'in-place' | 'replace'
  at: Date
  reason: string | null
  /** Null: for good. */
  expiresAt: Date | null
  /** What it approved was let go once: it does not expire any more. */
  begun?: boolean
  /** Taken back, or void by a rejection or another decision. */
  endedAt: Date | null
}

export interface Standing {
  /** Who counts now, one approval each. */
  standing: Approval[]
  needed: number
  missing: number
  /** Who wrote it is not known, so one more has to approve: then, as many as are asked for are not the author. */
  oneMore: boolean
}

/**
 * Where a change stands on its way to be let go in one way. A person counts once, by their newest word, and for one way
 * only: approving one never approves the other. The rules of now hold, also for what was approved under laxer ones. What nobody has to approve by policy still takes one person here, for
 * those who ask are people.
 */
export function standingOf(
  approvals: readonly Approval[],
  mode: Approval['mode'],
  rules: Pick<Resolved, 'approvals' | 'notTheAuthor' | 'reasonRequired' | 'expiresAfter'>,
  author: Authorship,
  now: Date,
): Standing {
  const newest = new Map<string, Approval>()
  for (const approval of approvals) newest.set(approval.actorId, approval)
  const strict = rules.notTheAuthor.value
  const lasts = durationOf(rules.expiresAfter.value)
  const expired = ({ expiresAt, at, begun }: Approval): boolean =>
    !begun && ((expiresAt !== null && expiresAt <= now) || (lasts !== null && at.getTime() + lasts <= now.getTime()))
  const counts = (approval: Approval): boolean =>
    approval.endedAt === null &&
    approval.mode === mode &&
    !expired(approval) &&
    !(rules.reasonRequired.value && !approval.reason) &&
    !(strict && author.isBy(approval.actorId))
  const standing = [...newest.values()].filter(counts)
  const oneMore = strict && !author.known
  const needed = Math.max(1, rules.approvals.value) + (oneMore ? 1 : 0)
  return { standing, needed, missing: Math.max(0, needed - standing.length), oneMore }
}

export interface Authorship {
  /** Whether it is known which person wrote the change. */
  known: boolean
  isBy(actorId: string): boolean
}

interface Person {
  id: string
  /** Everything that a field manager may call this person: name, address. */
  names: readonly string[]
}

/**
 * Who wrote a change, by the field manager that the object names. Most managers are tools (kubectl-edit, argocd): they name
 * nobody.
 */
export function authorship(manager: string | null, people: readonly Person[]): Authorship {
  const wanted = manager?.trim().toLowerCase() ?? ''
  const ids = new Set(
    wanted === ''
      ? []
      : people.filter(({ names }) => names.some((n) => n.toLowerCase() === wanted)).map(({ id }) => id),
  )
  return { known: ids.size > 0, isBy: (actorId) => ids.has(actorId) }
}
