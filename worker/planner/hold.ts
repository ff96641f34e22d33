import { db } from '@/lib/db/client'
import { boundTo, holdFields, isPaused } from '@/lib/domain/latch/hold'
import { HELD, PENDING_BEFORE } from '@/lib/domain/latch/names'
import type { Decision } from '@/lib/db/generated/client'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { sendEvent } from '@/lib/services/changes/events'
import { isHeld } from '@/lib/services/changes/hold-of'
import { groupResource, rejectedText } from '@/lib/services/changes/patch-for'
import type { ClusterView } from '../types'
import { audited } from './audited'

/**
 * A change that somebody's own pause kept back before there was a latch: put on hold, so that taking that pause away
 * does not let it go unapproved. The pause keeps its value; where only spec.paused stands, the hold pauses as well.
 * `again`: it changed since it was seen, and is looked at anew. False: nothing is governed there, or the API server refuses it.
 * `begun`: a change that was under way, which is on record as stopped. `anyway`: whatever is governed, for nothing else keeps it.
 */
export async function putOnHold(
  view: ClusterView,
  group: KubeObject,
  words = PENDING_BEFORE,
  begun?: { id: string },
  anyway = false,
): Promise<'held' | 'again' | false> {
  const { uid, name, namespace, resourceVersion } = group.metadata
  if (isHeld(group)) return 'held'
  if (!anyway && !(await holdsHere(view, uid))) return false
  const body = boundTo(resourceVersion, holdFields(group, words))
  const resource = groupResource(group.kind, group.apiVersion)
  const about = begun
    ? { id: begun.id, action: 'change.stopped', intent: 'change.stop', reason: words }
    : { id: uid, action: 'change.held', intent: 'change.hold', reason: words }
  let isPast = false
  const stored = await audited(view, group, about, () =>
    view.client.patch(resource, name, namespace, 'merge', body).catch((error: unknown) => {
      // The watch shows it again, and then it is put on hold.
      isPast = error instanceof KubeError && error.code === 409
      throw error
    }),
  )
  if (stored) await sendEvent(view.client, stored, 'DrydockHeld', words)
  return stored ? 'held' : isPast && 'again'
}

/** The group is governed, where something is to hold it. */
export async function holdsHere({ clusterId }: ClusterView, uid: string): Promise<boolean> {
  const [row, cluster] = await Promise.all([
    db().group.findUnique({ where: { id: uid }, select: { governed: true } }),
    db().managementCluster.findUnique({ where: { id: clusterId }, select: { latchForm: true } }),
  ])
  return row?.governed === true && cluster !== null && cluster.latchForm !== 'none'
}

/** A group that got what was rejected before it had it is held as by a rejection. False until that is seen on it. */
export const isHeldRejected = (view: ClusterView, group: KubeObject, decision: Decision): Promise<boolean> =>
  isHeldWith(view, group, rejectedText({ ...decision, mode: 'reject' }))

/** Whether its hold says so; where it does not, that is written, and seen later. */
export async function isHeldWith(view: ClusterView, group: KubeObject, words: string): Promise<boolean> {
  const { uid, name, namespace, resourceVersion, annotations = {} } = group.metadata
  if (annotations[HELD] === words && isPaused(group)) return true
  const body = boundTo(resourceVersion, holdFields(group, words))
  const resource = groupResource(group.kind, group.apiVersion)
  // Held already, it is told otherwise only.
  const about = isHeld(group)
    ? { id: uid, action: 'change.reworded', intent: 'change.reword', reason: words }
    : { id: uid, action: 'change.held', intent: 'change.hold', reason: words }
  await audited(view, group, about, () => view.client.patch(resource, name, namespace, 'merge', body))
  return false
}
