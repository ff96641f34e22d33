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
import { waitsFor } from '@/lib/services/changes/waits-for'
import { ServiceError } from '@/lib/services/errors'
import { anyPolicyAsksNobody, type Governed } from '@/lib/services/policies/rules-for'
import { closedWords, TIMED, timingOf, type Timed } from '@/lib/services/policies/timing'
import { besides } from '../beside'
import { log } from '../log'
import { Refusals } from '../refusals'
import type { ClusterView } from '../types'
import { auditedRewrite } from './audited'
import { rulesOf } from './rules-of'
import type { Running } from './stop'

const OLD = `${STOPPED}${NOT_NOW}`
const PAUSED_WORDS = `${OLD}paused by `
const refusals = new Refusals()

/**
 * What was held again by a pause, a window or the like, waits for an approval once that is over and nobody has approved it; what is
 * approved, and was paused, may wait for its time by then, and what goes by itself waits for nothing else. The words on the object, which
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
  const times = await timesByItself(waiting.filter((change) => !isApproved(change)))
  const held = new Map(old.map((group) => [group.id, group.held]))
  const asked = waiting.flatMap((change): Asked[] => {
    const anew = (from: string[], words: Asked['words']) =>
      from.some((one) => held.get(change.groupId)?.startsWith(one)) ? [{ change, from, words }] : []
    // What is approved, and was not paused, says already what it waits for.
    if (isApproved(change)) return anew([PAUSED_WORDS, UNPAUSED], async () => (await waitsFor(change.id)).words)
    const time = times.get(change.id)
    return time === undefined ? anew([OLD], null) : anew([PAUSED_WORDS, UNPAUSED], () => Promise.resolve(time))
  })
  const say = ({ change, ...says }: Asked) =>
    one(view, change, says).catch((err: unknown) =>
      log.warn(
        { err, cluster: view.name, change: change.id },
        'what a hold says could not be written anew; it will be repeated',
      ),
    )
  await beside(view).each(asked, ({ change }) => change.id, say, stopped)
}

/** `from`: how the words begin that it takes the place of. `words`: what it waits for, or nothing any more; null: for an approval. */
interface Asked {
  change: Running
  from: string[]
  words: (() => Promise<string | null>) | null
}

type Untouched = Governed & Timed & Pick<Change, 'id' | 'dueMode'>

/** Of what goes by itself, what it waits for; null: nothing, or whether it goes so is not known yet. What waits for people has none. */
async function timesByItself(all: readonly Untouched[]): Promise<Map<string, string | null>> {
  const found = await rulesOf(all)
  const known = all.flatMap((change, i) => {
    const rules = found[i]!
    return rules instanceof ServiceError || rules.approvals.value > 0 ? [] : [{ change, rules }]
  })
  if (known.length === 0) return new Map()
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
  return new Map(
    known.flatMap(({ change, rules }): [string, string | null][] => {
      const told = unasked.get(change.id)
      if (!told || (!told.goes && !told.open)) return []
      const timing = timingOf(rules, change, now)
      return [[change.id, told.goes && !timing.open ? closedWords(timing) : null]]
    }),
  )
}

const beside = besides()

async function one(view: ClusterView, change: Running, { from, words }: Omit<Asked, 'change'>): Promise<void> {
  const { id, groupId, groupKind: kind, groupName, namespace } = change
  if (refusals.stands(id)) return
  const waits = words && (await words())
  // With nothing to wait for it goes in a moment.
  if (words && waits === null) return
  const now = waits === null ? UNPAUSED : `${OLD}${waits}`
  const resource = groupResource(kind, await apiVersionOf(change))
  const isOld = (said: string | undefined) => from.some((one) => said?.startsWith(one))
  const make = (object: KubeObject) =>
    isHeld({ ...object, kind }) && isOld(object.metadata.annotations?.[HELD])
      ? { metadata: { annotations: holdFields({ ...object, kind }, now).annotations } }
      : null
  const about = { id, intent: 'change.reword', action: 'change.reworded', reason: now }
  const of = { kind, metadata: { uid: groupId, name: groupName, namespace } }
  const written = await auditedRewrite(view, of, about, [resource, of, make])
  refusals.heed(id, written)
}
