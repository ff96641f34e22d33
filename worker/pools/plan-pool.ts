import { db } from '@/lib/db/client'
import { isNeverHeld } from '@/lib/domain/latch/hold'
import { SEEN_STORED } from '@/lib/domain/latch/names'
import type { Change } from '@/lib/db/generated/client'
import { namesImage, rolloutDigest, sameButImage } from '@/lib/domain/latch/digest'
import type { DisruptionPolicies } from '@/lib/domain/pools/effect'
import type { KubeObject } from '@/lib/kubernetes/types'
import { poolChange, type PoolChange } from '@/lib/providers/openshift/pool-change'
import { poolAuthor, readPool } from '@/lib/providers/openshift/pools'
import { readDisruptionPolicies } from '@/lib/providers/openshift/rendered'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { holdOf, isHeld } from '@/lib/services/changes/hold-of'
import { awaitsWatch, letGoOf } from '@/lib/services/changes/let-go'
import { goesUnheld, wasLetGo } from '@/lib/services/changes/let-go-outside'
import { plannedPool } from '@/lib/services/changes/planned-pool'
import { LIVE, OPEN, UNDER_WAY } from '@/lib/services/changes/states'
import { straysOf } from '@/lib/services/changes/strays'
import { admit } from '../planner/admit'
import { settleStored } from '../planner/adopt'
import { begin } from '../planner/begin'
import { LATER_MS, SOON_MS, type PlanContext } from '../planner/common'
import { goOn } from '../planner/go-on'
import { putOnHold } from '../planner/hold'
import { holdsAgain } from '../planner/hold-again'
import { keepLetGo } from '../planner/keep-let-go'
import { nameIsComing } from '../planner/members'
import { nothingPending } from '../planner/nothing-pending'
import type { ClusterView } from '../types'
import { awaitRows } from './await-rows'
import { awaitsWell } from './awaits-well'
import { takenBack } from './began-nowhere'
import { builtIn, builtNow } from './built'
import { isThroughByOperator } from './by-operator'
import { clearLeftMark } from './clear-left-mark'
import { keptConfigs } from './kept-configs'
import { followOvertaken } from './overtaken'
import { throughUnseen } from './through-unseen'
import { comesToNone, howItWaits } from './waits-still'
import { recordUnseen } from './went-unseen'

const UNREAD_MS = 5_000

/**
 * Brings the change row of a pool in line with the cluster. What is approved, held, timed and applied is the same as of any group;
 * only what differs, and how its nodes fare, is found otherwise. Says when to look again; null: when something changes.
 */
export async function planPool(context: PlanContext, found: KubeObject): Promise<number | null> {
  const { view } = context
  const heard = builtIn(view, found)
  if (heard === null) return SOON_MS
  const { name, uid } = heard.metadata
  if (isNeverHeld(heard)) return null
  const { pool, others, isOpen } = await builtNow(view, heard)
  // Nothing is decided anew, and nothing let go, by what may be old.
  if (isOpen && (others === 0 || isHeld(pool))) return UNREAD_MS
  await clearLeftMark(view, pool)
  if (await settleStored(view, pool)) return SOON_MS
  await followOvertaken(view, uid)
  const open = await db().change.findFirst({
    where: { clusterId: view.clusterId, groupId: uid, state: { in: OPEN } },
    orderBy: { detectedAt: 'desc' },
    include: { decisions: { where: { state: { in: LIVE } }, orderBy: { recordedAt: 'desc' }, take: 1 } },
  })
  const digest = rolloutDigest(pool) ?? ''
  // What the watch does not know yet, it does not pause.
  if (digest === rolloutDigest(heard) && (await awaitsWatch(view.clusterId, pool, digest))) return SOON_MS
  const waits = await howItWaits(pool, digest, open)
  const lacking = await poolChange(pool, keptConfigs(view), (to) => straysOf(uid, to, pool.built), waits)
  const pending = lacking ?? (await comesToNone(view, pool, digest, open))
  // The operator says that all have it, and rows of nodes may be older: that is its end, and no other change.
  const isUnderWay = open?.digest === digest && UNDER_WAY.includes(open.state) && others === 0
  // Held, and nobody let it go: it waits from here on.
  const isCaught = isHeld(pool) && !open?.decisions.length
  const isEnding = isUnderWay && !isCaught && pending?.again !== false
  // The same of all else: rows of its nodes, which may be from before this worker began, come to say so.
  const rows = pending && !isEnding && isThrough(pool, pending) ? await awaitRows(view, pool) : null
  if (rows?.later || rows?.told) {
    // By its operator it has what it wants: where nothing was known, that is what it was let go with.
    if (!isHeld(pool) && (await letGoOf(view.clusterId, uid)) === null) await keepLetGo(view, pool, digest)
    return SOON_MS
  }
  const change = isEnding || rows?.old ? null : pending
  const key = { clusterId: view.clusterId, kind: pool.kind, namespace: '', name, fence: view.fence }
  if (!change) {
    if (isHeld(pool) && (await heldForImage(view.clusterId, pool, open))) return LATER_MS
    const through = await throughUnseen(view, pool, digest, open)
    if (through === 'later') return SOON_MS
    const back = !isHeld(pool) && (await takenBack(view, pool, digest, open))
    if (back === 'later') return SOON_MS
    const wentBy = !back && open?.digest !== digest && (await recordUnseen(view, pool, digest, open, policiesIn(view)))
    if (wentBy === 'later') return SOON_MS
    if (wentBy && open) await followOvertaken(view, uid)
    const left = back || wentBy || through === 'ended' ? null : open
    // What goes although nobody let it go is not what was let go because it is under way.
    const unheld = left !== null && (await goesUnheld(uid, digest, left))
    const kept = isHeld(pool) || unheld || (await keepLetGo(view, pool, digest))
    const replicas = Number(pool.status?.machineCount ?? 0)
    const byOperator = await isThroughByOperator(view, pool, digest, left)
    const next = await nothingPending(context, pool, key, left, replicas, digest, null, byOperator)
    if (!kept) return SOON_MS
    return left === null && (await awaitsWell(view, pool, digest)) ? Math.min(next ?? LATER_MS, UNREAD_MS) : next
  }
  // It could be read before: what is known of it stays until it can be again.
  const isUnread = change.pair.unread !== undefined
  if (isUnread && open?.digest === digest && !changeSetOf(open).pairs.some(({ unread }) => unread)) return UNREAD_MS
  const wanted = plannedPool(pool, change, policiesIn(view))
  const known = open ? changeSetOf(open).pairs.map(({ fingerprint }) => fingerprint) : []
  const same = open?.digest === digest && known.includes(change.pair.fingerprint)
  const held = holdOf(view.capabilities, pool, false)
  const begins = !open || !same
  if (!begins && (await holdsAgain(view, pool, open, held))) return SOON_MS
  // What moves without being known, or to another image, is never what was let go.
  const unknown = change.images > 0 && pool.built === undefined
  const before = await letGoOf(view.clusterId, uid)
  const letGo = held === 'none' && !unknown && others === 0 && before === digest
  const again = begins && letGo
  const begun = same && open !== null && UNDER_WAY.includes(open.state)
  const keptBack = held === 'person' && !begun && !open?.decisions.length
  const freed = async () => open !== null && same && (open.heldBy === 'latch' || (await wasLetGo(open)))
  if (keptBack && !(await freed())) await putOnHold(view, pool)
  // No write to the pool brings an image, so that no latch sees it come.
  const approved = same && open !== null && open.decisions.length > 0
  // Nodes that are on their way by what was let go before go on beside an approval; not where nobody knows what theirs is.
  const isAstray = approved && isOpen && others > 0
  const goesOn = same && ((begun && others === 0) || (approved && !isAstray))
  const byImage = held === 'none' && change.images > 0 && !unknown && !letGo && !goesOn
  // Where that is refused, it moves, and nobody approved it.
  if (byImage && (isAstray || !(await freed())) && (await putOnHold(view, pool, SEEN_STORED))) return SOON_MS
  const unheld = held === 'none' && (await goesUnheld(uid, digest, begins ? null : open))
  if (held === 'none' && !unheld) await keepLetGo(view, pool, digest)
  if (begins && held !== 'none' && nameIsComing(view)) return SOON_MS
  // Rows of nodes may not tell of the image yet.
  const isImage = change.images > 0 || (before !== null && sameButImage(before, digest))
  const next = begins
    ? await begin(context, pool, wanted, { hold: held, again, author: poolAuthor(pool, isImage) }, open)
    : await goOn(context, pool, key, wanted, held, open)
  // What it took the place of is told at once.
  if (begins && open) await followOvertaken(view, uid)
  if (held === 'latch') await admit(view, uid)
  return isUnread ? Math.min(next, UNREAD_MS) : next
}

/** All of its nodes reached it, by its operator, and no image is on its way. */
function isThrough(pool: KubeObject, { again, images }: PoolChange): boolean {
  const { pending, counts } = readPool(pool)
  return again && images === 0 && !pending && counts.updated >= counts.machines
}

/** Which image is built was known when it was held, and is not any more: that nothing moves does not say that nothing is held. */
async function heldForImage(
  clusterId: string,
  { metadata, built }: KubeObject,
  open: Pick<Change, 'digest'> | null,
): Promise<boolean> {
  if (built !== undefined) return false
  const known = [open?.digest, await letGoOf(clusterId, metadata.uid)]
  return known.some((digest) => digest && namesImage(digest))
}

/** Null: the operator says nothing of them, or Drydock may not read it. */
function policiesIn(view: ClusterView): DisruptionPolicies | null {
  const configuration = view.objects('machineconfigurations.operator.openshift.io').get('cluster')
  return configuration ? readDisruptionPolicies(configuration) : null
}
