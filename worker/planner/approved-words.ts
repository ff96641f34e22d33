import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { Resolved } from '@/lib/domain/policies'
import { databaseNow } from '@/lib/db/now'
import type { KubeObject } from '@/lib/kubernetes/types'
import { isHeld } from '@/lib/domain/latch/hold'
import { approvedWords, asLatched, HELD, isOfLatch, APPROVED } from '@/lib/domain/latch/names'
import { apiVersionOf } from '@/lib/services/changes/overtake'
import { groupResource } from '@/lib/services/changes/patch-for'
import { ServiceError } from '@/lib/services/errors'
import { enoughApproved } from '@/lib/services/policies/enough-approved'
import type { Governed } from '@/lib/services/policies/rules-for'
import { lastingWords, TIMED, timingOf, type Timed } from '@/lib/services/policies/timing'
import { besides } from '../beside'
import { log } from '../log'
import { Refusals } from '../refusals'
import type { ClusterView } from '../types'
import { auditedRewrite } from './audited'
import { wantsElse } from './hold-again'
import { rulesOf } from './rules-of'
import type { Running } from './stop'

const refusals = new Refusals()
const beside = besides()

/** So long after its time has come it is no moment any more. */
const MOMENT_MS = 60_000
const KEPT = 'its time has come, and what keeps it stands in Drydock'
/** What of an object is as it would be is asked about its approvals more seldom: their outlooks are long, and most wait for days. */
const WHOLE_MS = 60_000

interface Looked {
  /** By the id of a change, since when it could have gone. */
  opened: Map<string, number>
  wholeAt: number
}
const looked = new WeakMap<ClusterView, Looked>()

/**
 * The latch writes that a change waits for approval. Once it has all of them, and waits for its time, the object says so, which is all
 * that people with kubectl see; and the former again where approvals do not count any more. One write for each reason, and none besides.
 */
export async function sayApproved(view: ClusterView, stopped: () => boolean = () => false): Promise<void> {
  const { clusterId } = view
  const said = await db().group.findMany({ where: { clusterId, held: { startsWith: APPROVED } }, select: { id: true } })
  const changes = await db().change.findMany({
    where: {
      ...{ clusterId, state: 'waiting', heldBy: 'latch' },
      OR: [{ dueMode: { not: null } }, { groupId: { in: said.map(({ id }) => id) } }],
    },
    select: {
      ...{ id: true, groupId: true, groupKind: true, groupName: true, namespace: true, dueMode: true, digest: true },
      ...{ clusterId: true, workloadCluster: true, fingerprint: true, author: true, ...TIMED },
    },
  })
  if (changes.length === 0) return
  const groups = await db().group.findMany({
    where: { clusterId, id: { in: changes.map(({ groupId }) => groupId) }, held: { not: null } },
    select: { id: true, held: true },
  })
  const held = new Map(groups.map((group) => [group.id, group.held]))
  const [rules, now] = [await rulesOf(changes), await databaseNow(db())]
  const before = looked.get(view)
  const whole = !before || performance.now() - before.wholeAt >= WHOLE_MS
  const opened = new Map<string, number>()
  looked.set(view, { opened, wholeAt: whole ? performance.now() : before.wholeAt })
  /** What it waits for, if it is approved; null: nothing, or it is known in a moment. */
  const waitsFor = (change: Found, of: Resolved): string | null => {
    const timing = timingOf(of, change, now)
    if (!timing.open) return lastingWords(timing)
    opened.set(change.id, before?.opened.get(change.id) ?? performance.now())
    return performance.now() - opened.get(change.id)! >= MOMENT_MS ? KEPT : null
  }
  const known = changes.flatMap((change, i): Known[] => {
    const [of, words] = [rules[i]!, held.get(change.groupId)]
    if (of instanceof ServiceError || !words || !isOfLatch(words)) return []
    return [{ change, rules: of, words, why: change.dueMode === null ? null : waitsFor(change, of) }]
  })
  const due = known.filter((one) => one.change.dueMode !== null && (whole || isOtherwise(one)))
  const enough = await enoughOf(due, now)
  const asked = [
    ...known.filter(({ change }) => change.dueMode === null),
    // Approved, and with nothing to wait for, it goes in a moment.
    ...due.flatMap((one) => (enough.has(one.change.id) ? (one.why === null ? [] : [one]) : [{ ...one, why: null }])),
  ].filter(isOtherwise)
  const say = ({ change, why }: Asked) =>
    one(view, change, why).catch((err: unknown) =>
      log.warn({ err, cluster: view.name, change: change.id }, 'what a hold says could not be written; it is repeated'),
    )
  await beside(view).each(asked, ({ change }) => change.id, say, stopped)
}

type Found = Running & Pick<Change, 'digest' | 'dueMode' | 'author' | 'fingerprint'> & Governed & Timed

/** `words`: what its object says; `why`: what it waits for, approved; null: for an approval. */
interface Known {
  change: Found
  rules: Resolved
  words: string
  why: string | null
}
type Asked = Pick<Known, 'change' | 'why'>

const isOtherwise = ({ words, why }: Known): boolean => says(words, why) !== words

async function enoughOf(due: readonly Known[], now: Date): Promise<Set<string>> {
  if (due.length === 0) return new Set()
  const ids = due.map(({ change }) => change.id)
  const rows = await db().change.findMany({ where: { id: { in: ids } }, select: { id: true, outlook: true } })
  const outlooks = new Map(rows.map(({ id, outlook }) => [id, outlook]))
  return enoughApproved(
    db(),
    now,
    due.map(({ change, rules }) => ({ change: { ...change, outlook: outlooks.get(change.id) ?? null }, rules })),
  )
}

const says = (words: string, why: string | null): string =>
  why === null ? asLatched(words) : approvedWords(words, why)

async function one(view: ClusterView, change: Found, why: string | null): Promise<void> {
  const { id, groupId, groupKind: kind, groupName, namespace } = change
  if (refusals.stands(id)) return
  let reason = ''
  const isOther = wantsElse(change)
  const make = async (object: KubeObject) => {
    // What it wants by then may be approved by nobody.
    if (await isOther(object)) return null
    const words = object.metadata.annotations?.[HELD]
    if (!words || !isOfLatch(words) || !isHeld({ ...object, kind })) return null
    reason = says(words, why)
    return reason === words ? null : { metadata: { annotations: { [HELD]: reason } } }
  }
  const about = { id, intent: 'change.reword', action: 'change.reworded', reason: () => reason }
  const of = { kind, metadata: { uid: groupId, name: groupName, namespace } }
  const resource = groupResource(kind, await apiVersionOf(change))
  refusals.heed(id, await auditedRewrite(view, of, about, [resource, of, make]))
}
