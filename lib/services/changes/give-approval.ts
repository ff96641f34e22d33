import type { Tx } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import {
  durationOf,
  lapsesAt,
  standingOf,
  wayByItself,
  whyNotThisWay,
  type Authorship,
  type Resolved,
  type Standing,
} from '@/lib/domain/policies'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { authorOf } from '../policies/author'
import { rulesFor } from '../policies/rules-for'
import { snapshotOf, type PolicySnapshot } from '../policies/snapshot'
import { timingToGo } from '../policies/shape'
import { closedWords, timingOf, type ChangeTiming } from '../policies/timing'
import { approvalsWhere, deletionsIn, unseenAtOnce, unseenBy, type ApprovalRow } from './approvals'
import { outlookIn } from './change-row'
import { planeRisks } from './plane'
import { nameToType } from './typed-name'
import { needsReason, type Decidable, type Wish } from './decidable'

export interface Given {
  standing: Pick<Standing, 'needed' | 'missing' | 'oneMore'>
  /** What a decision of now rests on; where some are missing, there is none yet. */
  snapshot: PolicySnapshot
  /** The approvals that count, and when the first of them ends. */
  ids: string[]
  expiresAt: Date | null
  /** When so many of them have ended that some are missing; null: not by themselves. */
  lapses: Date | null
  /** When that was asked, by the database's clock. */
  now: Date
  /** Whether its calendar lets it go then. */
  timing: ChangeTiming
  /** Whose word it is, where nobody gives theirs now: of those who approved it, the last one. */
  last: ApprovalRow | null
  /** Somebody who approved it wants it machine by machine. */
  oneByOne: boolean
  /** Whose approval is over now: they saw more machines wanted. */
  sawMore: string[]
  /** With fewer machines wanted than these it was not approved; null: nobody said with how many. */
  replicas: number | null
}

/** Taken back, expired, or more are asked for by now. `takers`: who took theirs back. */
class ApprovalsMissing extends ServiceError {
  constructor(missing: number, takers: readonly string[] = []) {
    // Where fewer were taken back, something else is missing, too.
    const why = takers.length >= missing ? `: ${listed(takers)} took the approval back` : ''
    super(
      'conflict',
      `${missing} of the approvals that its policy asks for ${missing === 1 ? 'is' : 'are'} missing by now${why}.`,
    )
  }
}
const listed = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '')

/** Whose last word on it is that they took their approval back, since the others gave theirs: before, it was of no matter. */
function takersOf(rows: readonly ApprovalRow[]): string[] {
  const last = new Map(rows.map((row) => [row.actorId, row]))
  const others = [...last.values()].filter(({ endedWhy }) => endedWhy !== 'withdrawn')
  const newest = Math.max(-Infinity, ...others.map(({ at }) => at.getTime()))
  return [...last.values()].flatMap(({ endedWhy, endedAt, actorName }) =>
    endedWhy === 'withdrawn' && endedAt && endedAt.getTime() > newest ? [actorName] : [],
  )
}

/**
 * Keeps a person's approval where the policy lets them give it, and says whether it is enough. The worker gives none: it asks
 * whether those that are there are enough. The change is locked.
 */
export async function giveApproval(tx: Tx, ctx: Ctx, change: Decidable, wish: Wish): Promise<Given> {
  const mode = wish.mode as 'in-place' | 'replace'
  const rules = await rulesFor(tx, change)
  const forbidden = whyNotThisWay(mode, rules, outlookIn(change))
  if (forbidden)
    throw new ServiceError('conflict', forbidden, { hint: 'The page Policies says what applies, and why.' })
  const now = await databaseNow(tx)
  const timing = wish.atHook ? timingOf(rules, change, now) : timingToGo(rules, change, now)
  if (wish.by && !timing.open) throw new ServiceError('unavailable', `It is ${closedWords(timing)}.`)
  const timed = wish.by === 'calendar' ? { byCalendar: true as const } : {}
  const unasked = wish.by === 'policy' || (wish.by === 'calendar' && (await wasByItself(tx, change.id)))
  const byItself = unasked && wayByItself(rules, outlookIn(change), change.groupKind) === mode
  if (wish.by === 'policy' && !byItself) throw new ServiceError('conflict', 'The policy asks for approvals by now.')
  const risks = await planeRisks(tx, change, mode)
  if (wish.by === 'policy' && risks.length > 0)
    throw new ServiceError('conflict', `Nobody is asked by its policy, and somebody has to look: ${risks[0]}`)
  const author = await authorOf(tx, change.author)
  const { replicas } = outlookIn(change)
  if (wish.replicas !== undefined && replicas !== undefined && replicas < wish.replicas)
    throw fewerWanted(replicas, wish.replicas)
  const deletions = deletionsIn({ ...change, outlook: outlookIn(change) }, mode)
  if (wish.deletions !== undefined && deletions > wish.deletions) throw moreDeleted(deletions)
  const { pool } = outlookIn(change)
  const { maxUnavailable } = wish
  if (maxUnavailable !== undefined && unseenAtOnce({ begun: false, maxUnavailable }, pool))
    throw moreAtOnce(pool!.limit!)
  const sawMore = wish.by ? [] : await give(tx, ctx, change, wish, { rules, author, risks, now })
  // Of those that saw more wanted, the fewest are what it is let go with.
  const given = await approvalsWhere(tx, { changeId: change.id, fingerprint: change.fingerprint })
  const rows = given.filter((row) => {
    const unseen = unseenBy(row, { ...change, outlook: outlookIn(change) })
    return unseen === null || unseen === 'fewer'
  })
  const { standing, needed, missing, oneMore } = standingOf(rows, mode, rules, author, now)
  if (byItself && missing > 0)
    return {
      ...{
        standing: { needed: 0, missing: 0, oneMore: false },
        ids: [],
        ...{ expiresAt: null, lapses: null },
        ...{ timing, now },
        last: null,
        sawMore,
        oneByOne: false,
        replicas: null,
      },
      snapshot: { rules, byItself: true, ...timed, approvals: [] },
    }
  if (wish.by && missing > 0) throw new ApprovalsMissing(missing, takersOf(given))
  const counted = rows.filter((row) => standing.includes(row))
  // Of what has begun, its manager said last what it was in the middle of.
  const risky = counted.some(({ begun }) => begun) ? [] : risks
  if (wish.by && nameToType(change, wish.mode, risky) !== null && !counted.some(({ typedName }) => typedName))
    throw new ServiceError(
      'conflict',
      risky[0]
        ? `Nobody has confirmed what is known by now: ${risky[0]}`
        : 'By now it would delete machines of a control plane, which nobody has confirmed.',
    )
  // Of what has begun, machines come and go by scaling as of any other group.
  const saw = counted.flatMap((row) => (row.begun ? [] : (row.replicas ?? [])))
  const fewest = saw.length > 0 ? Math.min(...saw) : null
  if (wish.by && replicas !== undefined && fewest !== null && replicas < fewest) throw fewerWanted(replicas, fewest)
  const ends = counted.flatMap(({ expiresAt, begun }) => (begun ? [] : (expiresAt ?? [])))
  return {
    standing: { needed, missing, oneMore },
    ids: counted.map(({ id }) => id),
    expiresAt: ends.length > 0 ? new Date(Math.min(...ends.map((at) => at.getTime()))) : null,
    lapses: lapsesAt({ standing, needed, missing }, rules),
    ...{ timing, now, last: wish.by ? (counted.at(-1) ?? null) : null },
    sawMore,
    oneByOne: counted.some((row) => row.oneByOne),
    replicas: fewest,
    snapshot: {
      ...{ rules, byItself: false, ...timed },
      approvals: counted.map(({ actorId, actorName, reason, at }) => ({
        ...{ actorId, actorName, reason, at: at.toISOString() },
      })),
    },
  }
}

/** Machines would be deleted that whoever approved it was not shown. */
export const fewerWanted = (now: number, then: number): ServiceError =>
  new ServiceError('conflict', `Fewer machines are wanted by now: ${now}, and ${then} when it was looked at.`, {
    hint: 'Those that are too many are deleted as soon as it is let go. Look at it as it is now, and decide again.',
  })

export const moreDeletedWords = (now: number): string =>
  `${now === 1 ? '1 machine' : `${now} machines`} would be deleted by now, more than was shown.`

export const moreDeleted = (now: number): ServiceError =>
  new ServiceError('conflict', moreDeletedWords(now), {
    hint: 'Machines were marked to be deleted since, or came, or are not available, so that spares come first. Look at it as it is now, and decide again.',
  })

export const moreAtOnceWords = (now: string): string =>
  `More nodes would go at once by now (maxUnavailable is ${now}) than was shown.`

export const moreAtOnce = (now: string): ServiceError =>
  new ServiceError('conflict', moreAtOnceWords(now), {
    hint: 'The pool was written to since. Look at it as it is now, and decide again.',
  })

/** Whoever wrote it does not approve it, where its policy says so. */
export const itsAuthor = (author: string | null, { notTheAuthor }: Pick<Resolved, 'notTheAuthor'>): ServiceError =>
  new ServiceError('forbidden', `You wrote this change (${author}), and nobody approves their own.`, {
    hint: `The policy ${notTheAuthor.policy?.name} says so: somebody else has to approve it.`,
  })

/** What only its calendar stopped, and nobody had approved: it goes on as it began. */
const wasByItself = async (tx: Tx, changeId: string): Promise<boolean> =>
  (await wereByItself(tx, [changeId])).has(changeId)

/** The same of many, with one query: the ids of those. */
export async function wereByItself(tx: Tx, changeIds: readonly string[]): Promise<Set<string>> {
  if (changeIds.length === 0) return new Set()
  const newest = await tx.decision.findMany({
    where: { changeId: { in: [...changeIds] } },
    orderBy: [{ changeId: 'asc' }, { recordedAt: 'desc' }],
    distinct: ['changeId'],
    select: { changeId: true, state: true, awaitsTime: true, policy: true },
  })
  const were = newest.filter((row) => row.state === 'voided' && row.awaitsTime && snapshotOf(row)?.byItself === true)
  return new Set(were.map(({ changeId }) => changeId))
}

/** Returns whose approvals are over with it: they saw more machines wanted. */
async function give(
  tx: Tx,
  ctx: Ctx,
  change: Decidable,
  wish: Wish,
  { rules, author, risks, now }: { rules: Resolved; author: Authorship; risks: readonly string[]; now: Date },
): Promise<string[]> {
  if (rules.notTheAuthor.value && author.isBy(ctx.actor.id)) throw itsAuthor(change.author, rules)
  if (rules.reasonRequired.value && !wish.reason)
    throw needsReason(`The policy ${rules.reasonRequired.policy?.name} asks for a reason.`)
  const lasts = durationOf(rules.expiresAfter.value)
  const before = { changeId: change.id, actorId: ctx.actor.id, endedAt: null }
  await tx.approval.updateMany({ where: before, data: { endedAt: now, endedWhy: 'anew' } })
  // Whoever saw more wanted did not see what goes by now.
  const replicas = wish.replicas ?? outlookIn(change).replicas ?? null
  const over =
    replicas === null
      ? []
      : await tx.approval.updateManyAndReturn({
          where: { changeId: change.id, begun: false, endedAt: null, replicas: { gt: replicas } },
          data: { endedAt: now, endedWhy: 'fewer' },
          select: { actorName: true, actorId: true },
        })
  await tx.approval.create({
    data: {
      ...{
        changeId: change.id,
        fingerprint: change.fingerprint,
        mode: wish.mode,
        at: now,
        reason: wish.reason ?? null,
      },
      ...{ actorId: ctx.actor.id, actorName: ctx.actor.name },
      typedName: nameToType(change, wish.mode, risks) !== null,
      replicas,
      deletions: wish.deletions ?? deletionsIn({ ...change, outlook: outlookIn(change) }, wish.mode),
      maxUnavailable: wish.maxUnavailable ?? outlookIn(change).pool?.limit ?? null,
      oneByOne: wish.oneByOne ?? false,
      expiresAt: lasts === null ? null : new Date(now.getTime() + lasts),
    },
  })
  return over.map(({ actorName, actorId }) => `${actorName} (${actorId})`)
}
