import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import type { KubeObject } from '@/lib/kubernetes/types'
import { holdFields, isHeld } from '@/lib/domain/latch/hold'
import { HELD, NOT_NOW, STOPPED, UNPAUSED } from '@/lib/domain/latch/names'
import { outlookIn } from '@/lib/services/changes/change-row'
import { apiVersionOf } from '@/lib/services/changes/overtake'
import { groupResource } from '@/lib/services/changes/patch-for'
import { LIVE } from '@/lib/services/changes/states'
import { unaskedAmong } from '@/lib/services/changes/unasked'
import { ServiceError } from '@/lib/services/errors'
import { anyPolicyAsksNobody, type Governed } from '@/lib/services/policies/rules-for'
import {
  closedWords,
  isHalted,
  lastingWords,
  TIMED,
  timingOf,
  type ChangeTiming,
  type Timed,
} from '@/lib/services/policies/timing'
import { besides } from '../beside'
import { log } from '../log'
import { Refusals } from '../refusals'
import type { ClusterView } from '../types'
import { auditedRewrite } from './audited'
import { rulesOf } from './rules-of'
import type { Running } from './stop'

const OLD = `${STOPPED}${NOT_NOW}`
const refusals = new Refusals()

/**
 * What was held again by a pause, a window or the like, waits for an approval once that is over and nobody has approved it; what is
 * approved may wait for its time by then, or for another than it was held for, and what goes by itself waits for nothing else. The words on the object, which
 * is all that people with kubectl see, say so.
 */
export async function sayUnpaused(view: ClusterView, stopped: () => boolean = () => false): Promise<void> {
  const { clusterId } = view
  const old = await db().group.findMany({
    where: { clusterId, OR: [{ held: { startsWith: OLD } }, { held: UNPAUSED }] },
    select: { id: true, held: true },
  })
  if (old.length === 0) return
  // What waits for people, as most does for days, is looked at only where it may go by itself.
  const itself = await anyPolicyAsksNobody(db())
  const rest = old.filter(({ held }) => itself || held !== UNPAUSED)
  const among = (groups: typeof old) => ({ groupId: { in: groups.map(({ id }) => id) } })
  const waiting = await db().change.findMany({
    where: {
      ...{ clusterId, state: 'waiting', heldBy: 'latch', pausedAt: null },
      OR: [among(rest), { ...among(old), dueMode: { not: null } }],
    },
    select: {
      ...{ id: true, groupId: true, groupKind: true, groupName: true, namespace: true, dueMode: true },
      ...{ clusterId: true, workloadCluster: true, ...TIMED },
      _count: { select: { decisions: { where: { state: { in: LIVE } } }, approvals: { where: { endedAt: null } } } },
    },
  })
  // Taken back, what was to go at its time is found then only.
  const isApproved = ({ dueMode, _count }: (typeof waiting)[number]) =>
    _count.decisions > 0 || (dueMode !== null && _count.approvals > 0)
  const times = new Map([
    ...(await timesByItself(waiting.filter((change) => !isApproved(change)))),
    ...(await timesApproved(waiting.filter(isApproved))),
  ])
  const held = new Map(old.map((group) => [group.id, group.held!]))
  const asked = waiting.flatMap((change): Asked[] => {
    const [said, time] = [held.get(change.groupId)!, times.get(change.id)]
    if (time === undefined && !isApproved(change)) return said === UNPAUSED ? [] : [{ change, said, words: UNPAUSED }]
    // With nothing to wait for it goes in a moment.
    if (!time) return []
    // Held again, it says how the waves before its own stood then: that is not written anew with each of their groups.
    const says = [lastingWords(time), closedWords(time)].map((words) => `${OLD}${words}`)
    return says.includes(said) ? [] : [{ change, said, words: says[0]! }]
  })
  const say = (asked: Asked) =>
    one(view, asked).catch((err: unknown) =>
      log.warn(
        { err, cluster: view.name, change: asked.change.id },
        'what a hold says could not be written anew; it will be repeated',
      ),
    )
  await beside(view).each(asked, ({ change }) => change.id, say, stopped)
}

/** `said`: what its object says, by the watch; `words`: what takes the place of that. */
interface Asked {
  change: Running
  said: string
  words: string
}

type Closed = ChangeTiming & { open: false }

/** Of what is approved, what it waits for; null: nothing. Where policies cannot be known nothing is said anew. */
async function timesApproved(all: readonly (Governed & Timed & Due)[]): Promise<[string, Closed | null][]> {
  const waits = all.filter((change) => isHalted(change) || change.dueMode !== null)
  if (waits.length === 0) return []
  const [found, now] = [await rulesOf(waits), await databaseNow(db())]
  return waits.flatMap((change, i): [string, Closed | null][] => {
    const rules = found[i]!
    if (rules instanceof ServiceError) return []
    const timing = timingOf(rules, change, now)
    return [[change.id, timing.open ? null : timing]]
  })
}

type Due = Pick<Change, 'id' | 'dueMode'>

/** Of what goes by itself, what it waits for; null: nothing, or whether it goes so is not known yet. What waits for people has none. */
async function timesByItself(all: readonly (Governed & Timed & Due)[]): Promise<[string, Closed | null][]> {
  const found = await rulesOf(all)
  const known = all.flatMap((change, i) => {
    const rules = found[i]!
    return rules instanceof ServiceError || rules.approvals.value > 0 ? [] : [{ change, rules }]
  })
  if (known.length === 0) return []
  // They are long, and most wait for people, for days.
  const outlooks = await db().change.findMany({
    where: { id: { in: known.map(({ change }) => change.id) } },
    select: { id: true, outlook: true },
  })
  const outlookById = new Map(outlooks.map((row) => [row.id, outlookIn(row)]))
  const state = { state: 'waiting', heldBy: 'latch' } as const
  const unasked = await unaskedAmong(
    known.flatMap(({ change, rules }) => {
      const outlook = outlookById.get(change.id)
      const dueMode = change.dueMode as 'in-place' | 'replace' | null
      return outlook ? [{ rules, change: { ...change, ...state, outlook, dueMode } }] : []
    }),
  )
  const now = await databaseNow(db())
  return known.flatMap(({ change, rules }): [string, Closed | null][] => {
    const told = unasked.get(change.id)
    if (!told || (!told.goes && !told.open)) return []
    const timing = timingOf(rules, change, now)
    return [[change.id, told.goes && !timing.open ? timing : null]]
  })
}

const beside = besides()

async function one(view: ClusterView, { change, said, words }: Asked): Promise<void> {
  const { id, groupId, groupKind: kind, groupName, namespace } = change
  if (refusals.stands(id)) return
  const resource = groupResource(kind, await apiVersionOf(change))
  // What somebody wrote there since is not written over.
  const make = (object: KubeObject) =>
    isHeld({ ...object, kind }) && object.metadata.annotations?.[HELD] === said
      ? { metadata: { annotations: holdFields({ ...object, kind }, words).annotations } }
      : null
  const about = { id, intent: 'change.reword', action: 'change.reworded', reason: words }
  const of = { kind, metadata: { uid: groupId, name: groupName, namespace } }
  const written = await auditedRewrite(view, of, about, [resource, of, make])
  refusals.heed(id, written)
}
