import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import type { KubeObject } from '@/lib/kubernetes/types'
import { isHeld } from '@/lib/domain/latch/hold'
import { approvedWords, asLatched, HELD, isOfLatch, APPROVED } from '@/lib/domain/latch/names'
import { apiVersionOf } from '@/lib/services/changes/overtake'
import { groupResource } from '@/lib/services/changes/patch-for'
import { ServiceError } from '@/lib/services/errors'
import { enoughApproved } from '@/lib/services/policies/enough-approved'
import { lastingWords, TIMED, timingOf } from '@/lib/services/policies/timing'
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
/** By the id of a change, since when it could have gone. */
const openSince = new WeakMap<ClusterView, Map<string, number>>()

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
      ...{ clusterId: true, workloadCluster: true, fingerprint: true, author: true, outlook: true, ...TIMED },
    },
  })
  const opened = new Map<string, number>()
  const before = openSince.get(view)
  openSince.set(view, opened)
  if (changes.length === 0) return
  const groups = await db().group.findMany({
    where: { clusterId, id: { in: changes.map(({ groupId }) => groupId) }, held: { not: null } },
    select: { id: true, held: true },
  })
  const held = new Map(groups.map((group) => [group.id, group.held]))
  const [rules, now] = [await rulesOf(changes), await databaseNow(db())]
  const known = changes.flatMap((change, i) => {
    const [of, words] = [rules[i]!, held.get(change.groupId)]
    return of instanceof ServiceError || !words || !isOfLatch(words) ? [] : [{ change, rules: of, words }]
  })
  const due = known.filter(({ change }) => change.dueMode !== null)
  const approved = await enoughApproved(db(), now, due)
  const asked = known.flatMap(({ change, rules: of, words }): Asked[] => {
    let why: string | null = null
    if (approved.has(change.id)) {
      const timing = timingOf(of, change, now)
      if (timing.open) opened.set(change.id, before?.get(change.id) ?? performance.now())
      const isKept = timing.open && performance.now() - opened.get(change.id)! >= MOMENT_MS
      why = timing.open ? (isKept ? KEPT : null) : lastingWords(timing)
      // Then it goes, or is known, in a moment.
      if (why === null) return []
    }
    return says(words, why) === words ? [] : [{ change, why }]
  })
  const say = ({ change, why }: Asked) =>
    one(view, change, why).catch((err: unknown) =>
      log.warn({ err, cluster: view.name, change: change.id }, 'what a hold says could not be written; it is repeated'),
    )
  await beside(view).each(asked, ({ change }) => change.id, say, stopped)
}

/** `why`: what it waits for, approved; null: for an approval. */
interface Asked {
  change: Running & Pick<Change, 'digest'>
  why: string | null
}

const says = (words: string, why: string | null): string =>
  why === null ? asLatched(words) : approvedWords(words, why)

async function one(view: ClusterView, change: Asked['change'], why: string | null): Promise<void> {
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
