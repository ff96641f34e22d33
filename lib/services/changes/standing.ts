import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import {
  authorship,
  lapsesAt,
  standingOf,
  whyNotCounted,
  whyNotThisWay,
  type Approval,
  type Authorship,
  type NotCounted,
  type Resolved,
  type TooEarly,
  type TooFew,
} from '@/lib/domain/policies'
import type { Outlook } from '@/lib/domain/changes'
import { ServiceError } from '../errors'
import type { ChangeDto } from './change-row'
import { tooFewOf, whoMayApprove } from './too-few'
import { approvalsOf, unseenBy, type Barred, type Unseen } from './approvals'
import { authorsOf } from '../policies/author'
import { shownTiming } from '../policies/besides'
import type { Timed, TimingDto } from '../policies/timing'
import { rulesForAll, type Governed } from '../policies/rules-for'
import { earlyNow, earlyOf } from './too-early'
import { unaskedAmong, type Unasked } from './unasked'

/** Where a change stands on one way. */
export interface WayStanding {
  needed: number
  missing: number
  /** Nobody knows who wrote it, so one more is asked. */
  oneMore: boolean
  /** Why the policy does not let it go this way; null: it does. */
  forbidden: string | null
  /** Enough approve it, and that ends before it may go. */
  early: TooEarly | null
}

/** Why an approval does not count: by the rules, or whatever they say. */
export type WhyNot = NotCounted | Barred | 'fingerprint' | Unseen

export interface ChangeStanding {
  rules: Resolved
  author: Authorship
  /** Of approvals that do not count, by their ids: why. */
  uncounted: ReadonlyMap<string, WhyNot>
  /** Ids of the people whose approvals count now, for either way; each counts once. */
  counting: ReadonlySet<string>
  ways: Record<Approval['mode'], WayStanding>
  /** Not so many people may approve it as have to; null: there are enough, or nothing is missing. */
  tooFew: TooFew | null
  timing: TimingDto
  /** What is approved now would end before it may go. */
  early: TooEarly | null
  /** Its policy asks nobody; null: it asks somebody. */
  unasked: Unasked | null
}

type Asked = Pick<
  ChangeDto,
  | 'id'
  | 'state'
  | 'shape'
  | 'heldBy'
  | 'fingerprint'
  | 'author'
  | 'dueMode'
  | 'override'
  | 'paused'
  | 'stopped'
  | 'step'
  | 'machines'
  | 'wave'
> &
  Governed & { outlook: Outlook }

const timedOf = ({ override, paused, stopped, step, machines, wave }: Asked): Timed => ({
  overrideAt: override && new Date(override.at),
  ...{ pausedBy: paused?.by ?? null, pausedReason: paused?.reason ?? null },
  pausedAt: paused && new Date(paused.at),
  ...{ stoppedBy: stopped?.policy ?? null, stoppedWhy: stopped?.why ?? null },
  stoppedAt: stopped && new Date(stopped.at),
  ...{ stepWaitsAt: step && new Date(step.since), stepsDone: step?.done ?? 0, machines },
  wave: wave as unknown as Timed['wave'],
})

/** What has begun goes on, whatever policies say of its group by now. */
function timingNow(rules: Resolved, change: Asked, now: Date): TimingDto {
  const { state, heldBy, shape, groupKind } = change
  const begins = state === 'waiting' || state === 'rejected'
  return shownTiming(rules, { ...timedOf(change), heldBy, shape, groupKind }, begins, now)
}

const MODES = ['in-place', 'replace'] as const

/**
 * Where changes stand under the policies of now, by their ids: with a few queries, however many they are. Of those whose
 * rules cannot be known, why.
 */
export async function standingsOf(all: readonly Asked[]): Promise<Map<string, ChangeStanding | ServiceError>> {
  if (all.length === 0) return new Map()
  const [found, approvals, now] = await Promise.all([
    rulesForAll(db(), all),
    approvalsOf(db(), { changeId: { in: all.map(({ id }) => id) } }),
    databaseNow(db()),
  ])
  const byChange = new Map<string, typeof approvals>()
  for (const row of approvals) byChange.set(row.changeId, [...(byChange.get(row.changeId) ?? []), row])
  const unknown = all.flatMap(({ id }, i) => {
    const rules = found[i]!
    return rules instanceof ServiceError ? [[id, rules] as const] : []
  })
  const changes = all.filter((_, i) => !(found[i] instanceof ServiceError))
  const rules = found.flatMap((one) => (one instanceof ServiceError ? [] : [one]))
  // Who wrote it is looked up where it counts.
  const counts = changes.filter((_, i) => rules[i]!.notTheAuthor.value)
  const authors = await authorsOf(
    db(),
    counts.map(({ author }) => author),
  )
  const outsideOf =
    (change: Asked) =>
    ({ barred, fingerprint, ...row }: ApprovalOf): WhyNot | null =>
      barred ?? (fingerprint !== change.fingerprint ? 'fingerprint' : unseenBy(row, change))
  const insideOf = (change: Asked) => {
    const outside = outsideOf(change)
    return (byChange.get(change.id) ?? []).filter((row) => outside(row) === null)
  }
  const authorOf = ({ author }: Asked) => authors.get(author) ?? authorship(null, [])
  const isApproved = (change: Asked, of: Resolved): boolean =>
    change.dueMode !== null && standingOf(insideOf(change), change.dueMode, of, authorOf(change), now).missing === 0
  const unasked = await unaskedAmong(
    changes.map((change, i) => ({ change, rules: rules[i]!, approved: isApproved(change, rules[i]!) })),
  )
  const people = changes.length > 0 ? await whoMayApprove(db()) : []
  return new Map<string, ChangeStanding | ServiceError>([
    ...unknown,
    ...changes.map((change, i) => {
      const held = rules[i]!
      const author = authorOf(change)
      const timing = timingNow(held, change, now)
      const outside = outsideOf(change)
      const given = byChange.get(change.id) ?? []
      const rows = insideOf(change)
      const of = (mode: Approval['mode']) => standingOf(rows, mode, held, author, now)
      const way = (mode: Approval['mode']): WayStanding => {
        const { needed, missing, oneMore, ...standing } = of(mode)
        const forbidden = whyNotThisWay(mode, held, change.outlook)
        const early = earlyOf(held, timing, lapsesAt({ needed, missing, ...standing }, held), now.getTime())
        return { needed, missing, oneMore, forbidden, early }
      }
      const standing: ChangeStanding = {
        tooFew: tooFewOf(of('in-place').needed, held, author, people),
        ...{ rules: held, author, timing, unasked: unasked.get(change.id) ?? null },
        counting: new Set(MODES.flatMap((mode) => of(mode).standing.map(({ actorId }) => actorId))),
        uncounted: new Map(
          given.flatMap((row) => {
            const why = outside(row) ?? whyNotCounted(row, held, author, now)
            return why ? [[row.id, why] as const] : []
          }),
        ),
        ways: { 'in-place': way('in-place'), replace: way('replace') },
        early: earlyNow(held, timing, now.getTime()),
      }
      return [change.id, standing] as const
    }),
  ])
}

type ApprovalOf = Awaited<ReturnType<typeof approvalsOf>>[number]

/** For lists: where policies cannot be known the page of the change says so, and they show what they can. */
export async function standingsWhereKnown(changes: readonly Asked[]): Promise<Map<string, ChangeStanding>> {
  try {
    const all = [...(await standingsOf(changes))]
    return new Map(all.flatMap(([id, one]) => (one instanceof ServiceError ? [] : [[id, one] as const])))
  } catch (error) {
    if (error instanceof ServiceError) return new Map()
    throw error
  }
}
