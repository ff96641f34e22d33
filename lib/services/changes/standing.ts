import { db } from '@/lib/db/client'
import {
  authorship,
  standingOf,
  whyNotThisWay,
  type Approval,
  type Authorship,
  type Resolved,
} from '@/lib/domain/policies'
import type { Outlook } from '@/lib/domain/changes'
import { ServiceError } from '../errors'
import type { ChangeDto } from './change-row'
import { approvalsWhere } from './approvals'
import { authorsOf } from '../policies/author'
import { timingDto, timingOf, wavedDto, type Timed, type TimingDto } from '../policies/timing'
import { timingToGo } from '../policies/shape'
import { rulesForAll, type Governed } from '../policies/rules-for'

/** Where a change stands on one way. */
export interface WayStanding {
  needed: number
  missing: number
  /** Nobody knows who wrote it, so one more is asked. */
  oneMore: boolean
  /** Why the policy does not let it go this way; null: it does. */
  forbidden: string | null
}

export interface ChangeStanding {
  rules: Resolved
  author: Authorship
  /** Ids of the people whose approvals count now, for either way; each counts once. */
  counting: ReadonlySet<string>
  ways: Record<Approval['mode'], WayStanding>
  timing: TimingDto
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
function timingNow(rules: Resolved, change: Asked) {
  const { state, heldBy, shape, groupKind } = change
  const begins = state === 'waiting' || state === 'rejected'
  return begins ? timingToGo(rules, { ...timedOf(change), heldBy, shape, groupKind }) : timingOf(rules, timedOf(change))
}

const MODES = ['in-place', 'replace'] as const

/**
 * Where changes stand under the policies of now, by their ids: with a few queries, however many they are. Of those whose
 * rules cannot be known, why.
 */
export async function standingsOf(all: readonly Asked[]): Promise<Map<string, ChangeStanding | ServiceError>> {
  if (all.length === 0) return new Map()
  const [found, approvals] = await Promise.all([
    rulesForAll(db(), all),
    approvalsWhere(db(), { changeId: { in: all.map(({ id }) => id) } }),
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
  const now = new Date()
  return new Map<string, ChangeStanding | ServiceError>([
    ...unknown,
    ...changes.map((change, i) => {
      const rows = (byChange.get(change.id) ?? []).filter((row) => row.fingerprint === change.fingerprint)
      const held = rules[i]!
      const author = authors.get(change.author) ?? authorship(null, [])
      const of = (mode: Approval['mode']) => standingOf(rows, mode, held, author, now)
      const way = (mode: Approval['mode']): WayStanding => {
        const { needed, missing, oneMore } = of(mode)
        return { needed, missing, oneMore, forbidden: whyNotThisWay(mode, held, change.outlook) }
      }
      const standing: ChangeStanding = {
        ...{ rules: held, author },
        counting: new Set(MODES.flatMap((mode) => of(mode).standing.map(({ actorId }) => actorId))),
        ways: { 'in-place': way('in-place'), replace: way('replace') },
        timing: timingDto(timingNow(held, change), wavedDto(held, timedOf(change))),
      }
      return [change.id, standing] as const
    }),
  ])
}

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

/** What lists say of a change that waits. */
export interface ListedStanding {
  given: number
  needed: number
  /** Its policy lets it go in neither way: why. */
  forbidden: string | null
  /** Approved, and kept for its time. */
  due: boolean
  timing: TimingDto
}

/** Of the way that is spoken of first: the one with the most approvals, else in place where that can be. */
export function listedStanding(
  { ways, timing }: Pick<ChangeStanding, 'ways' | 'timing'>,
  { outlook, dueMode }: Pick<ChangeDto, 'outlook' | 'dueMode'>,
): ListedStanding {
  const possible = MODES.map((mode) => ways[mode]).filter(
    (way, i) => way.forbidden === null && (MODES[i] === 'replace' || outlook.inPlace !== null),
  )
  const given = ({ needed, missing }: WayStanding) => needed - missing
  const [first, second] = possible
  const way = first && second && given(second) > given(first) ? second : first
  const due =
    dueMode !== null &&
    ways[dueMode].missing === 0 &&
    ways[dueMode].forbidden === null &&
    !outlook.blocked &&
    (dueMode === 'replace' || outlook.inPlace !== null)
  if (way) return { given: given(way), needed: way.needed, forbidden: null, due, timing }
  const forbidden = ways.replace.forbidden ?? ways['in-place'].forbidden
  return { given: 0, needed: ways.replace.needed, forbidden, due, timing }
}
