import { namedIn } from '@/lib/kubernetes/paths'
import { db, type Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Change, Decision } from '@/lib/db/generated/client'
import { HELD, NOT_NOW, plainReason, SEEN_STORED, STOPPED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { safeText } from '@/lib/domain/changes'
import { DRYDOCK, writtenBy } from '@/lib/providers/written-by'
import { recordAudit } from '@/lib/services/audit/record'
import { systemCtx } from '@/lib/services/context'
import { isHeld, type Hold } from '@/lib/services/changes/hold-of'
import { ENDED } from '@/lib/services/changes/let-go-outside'
import { DECISION, groupResource } from '@/lib/services/changes/patch-for'
import type { ClusterView } from '../types'
import { owned } from './common'
import { NOBODY_LET_GO } from './stop'

/** The same write took the hold away. */
const isDecidedBy = (group: KubeObject, decision: Decision): boolean =>
  group.metadata.annotations?.[DECISION] === decision.id

/** The watch shows what the decision asked for: the third tick. */
export async function markSeen(view: ClusterView, group: KubeObject, decision: Decision, hold: Hold): Promise<boolean> {
  if (decision.state === 'seen') return true
  if (!isDecidedBy(group, decision) || (decision.mode !== 'reject' && hold === 'latch')) return false
  return db().$transaction(async (tx) => {
    await owned(tx, view)
    const { count } = await tx.decision.updateMany({
      where: { id: decision.id, state: 'accepted' },
      data: { state: 'seen', seenAt: new Date() },
    })
    if (count > 0) await announce(tx, { topic: 'decisions', cluster: view.clusterId, ids: [decision.id] })
    return count > 0
  })
}

/** The watch is late by seconds, not by this much. */
const LATE_MS = 60_000

/**
 * Held, although it was approved: stopped since it had been let go, or not let go yet. The watch may never show that it
 * was, where another writer dropped our mark and the hold was put back at once: then the API server is asked what it holds.
 */
export async function isStopped(view: ClusterView, group: KubeObject, decision: Decision): Promise<boolean> {
  if (decision.state === 'seen') return true
  if (decision.state !== 'accepted') return false
  if (isDecidedBy(group, decision)) return true
  if (!decision.acceptedAt || Date.now() - decision.acceptedAt.getTime() < LATE_MS) return false
  return (await isHeldNow(view, group)) === true
}

/** How a decision ends whose group is held again: what only its calendar stopped goes on when its time comes, and where
 * one approval is taken back the others stand. What was counted as done goes by none of them. */
export const voidedBy = (
  group: KubeObject,
  takenBack: boolean,
  counted = false,
): { state: 'voided'; awaitsTime?: false } =>
  !counted && (takenBack || group.metadata.annotations?.[HELD]?.startsWith(STOPPED + NOT_NOW))
    ? { state: 'voided' }
    : { state: 'voided', awaitsTime: false }

/** Not held, although it was rejected. An object without our mark may be one from before: then the API server is asked. */
export async function isFreed(view: ClusterView, group: KubeObject, decision: Decision): Promise<boolean> {
  if (isDecidedBy(group, decision)) return true
  return decision.state === 'seen' && (await isHeldNow(view, group)) === false
}

/** Null where it is another object of the name by now. */
async function isHeldNow(view: ClusterView, group: KubeObject): Promise<boolean | null> {
  const { name, namespace, uid } = group.metadata
  const object = await view.client.get(groupResource(group.kind, group.apiVersion), name, namespace)
  return object.metadata.uid === uid ? isHeld(object) : null
}

/** Drydock's own words as if nobody had let it go: what put them there says of no decision that it ends. */
const UNLET = [SEEN_STORED, ...Object.values(NOBODY_LET_GO).map((why) => STOPPED + why)]

/** Its hold came back: where Drydock did not stop it, that what was decided ended with it is on record nowhere else. `surely`: nor is that it was Drydock. */
export async function recordHeldAgain(
  tx: Tx,
  view: ClusterView,
  group: KubeObject,
  change: Change,
  surely = false,
): Promise<void> {
  const words = group.metadata.annotations?.[HELD] ?? ''
  // Anybody can write such words: who did is told by managed fields, where there are any.
  const by = writtenBy(group, ['metadata', 'annotations', HELD])
  const isOurs = by === null || by === DRYDOCK
  const isUnlet = isOurs && UNLET.includes(words)
  if (!surely && isOurs && words.startsWith(STOPPED) && !isUnlet) return
  const what = isUnlet
    ? `Drydock held its group again: ${plainReason(words)}`
    : `Its group is held again, not by Drydock: ${safeText(words)}`
  await recordAudit(tx, systemCtx('planner'), {
    action: ENDED,
    target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
    cluster: { id: view.clusterId, name: view.name },
    reason: what,
    details: { summary: change.summary },
  })
}
