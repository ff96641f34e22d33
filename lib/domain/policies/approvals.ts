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

type Asking = Pick<Resolved, 'notTheAuthor' | 'reasonRequired' | 'expiresAfter'>

/** over: taken back, or ended otherwise. expired: as was said when it was given. too-old: by what is asked by now. */
export type NotCounted = 'over' | 'expired' | 'too-old' | 'no-reason' | 'author'

/** Why a person's word does not count for the way it was given for, by the rules of now; null: it does. */
export function whyNotCounted(approval: Approval, rules: Asking, author: Authorship, now: Date): NotCounted | null {
  const { endedAt, expiresAt, begun, reason, actorId } = approval
  if (endedAt !== null) return 'over'
  if (!begun && expiresAt !== null && expiresAt <= now) return 'expired'
  const end = endOf(approval, rules)
  if (end !== null && end <= now) return 'too-old'
  if (rules.reasonRequired.value && !reason) return 'no-reason'
  return rules.notTheAuthor.value && author.isBy(actorId) ? 'author' : null
}

/** When it ends by itself, by the rules of now; null: it does not. */
export function endOf(
  { expiresAt, at, begun }: Pick<Approval, 'expiresAt' | 'at' | 'begun'>,
  { expiresAfter }: Pick<Resolved, 'expiresAfter'>,
): Date | null {
  const lasts = durationOf(expiresAfter.value)
  const ends = [...(expiresAt ? [expiresAt.getTime()] : []), ...(lasts === null ? [] : [at.getTime() + lasts])]
  return begun || ends.length === 0 ? null : new Date(Math.min(...ends))
}

/** When so many of those who count have expired that some are missing; null: not by itself, or some are missing now. */
export function lapsesAt(
  { standing, needed, missing }: Pick<Standing, 'standing' | 'needed' | 'missing'>,
  rules: Pick<Resolved, 'expiresAfter'>,
): Date | null {
  if (missing > 0) return null
  const ends = standing.flatMap((approval) => endOf(approval, rules) ?? [])
  return ends.sort((a, b) => a.getTime() - b.getTime())[standing.length - needed] ?? null
}

/**
 * Where a change stands on its way to be let go in one way. A person counts once, by their newest word, and for one way
 * only: approving one never approves the other. The rules of now hold, also for what was approved under laxer ones. What nobody has to approve by policy still takes one person here, for
 * those who ask are people.
 */
export function standingOf(
  approvals: readonly Approval[],
  mode: Approval['mode'],
  rules: Asking & Pick<Resolved, 'approvals'>,
  author: Authorship,
  now: Date,
): Standing {
  const newest = new Map<string, Approval>()
  for (const approval of approvals) newest.set(approval.actorId, approval)
  const standing = [...newest.values()].filter(
    (approval) => approval.mode === mode && whyNotCounted(approval, rules, author, now) === null,
  )
  const oneMore = rules.notTheAuthor.value && !author.known
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
