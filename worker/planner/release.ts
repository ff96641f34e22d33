import { boundTo, isPool, releaseFields } from '@/lib/domain/latch/hold'
import { HELD } from '@/lib/domain/latch/names'
import { watchMark } from '@/lib/domain/latch/watch'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import { sendEvent } from '@/lib/services/changes/events'
import { groupChange } from '@/lib/services/changes/group-change'
import { groupResource } from '@/lib/services/changes/patch-for'
import { letBe } from '../latch-watch/watch'
import type { ClusterView } from '../types'
import { isBackBeforeDate } from './ahead'
import { audited } from './audited'

const WHY = {
  reverted: {
    ...{ action: 'change.reverted', intent: 'change.revert' },
    sentence: 'The desired state was changed back: nothing is held any more.',
  },
  over: {
    ...{ action: 'change.released', intent: 'change.release' },
    sentence: 'Every machine is what it shall be: nothing is held any more.',
  },
}

/**
 * Takes a hold away that holds nothing any more, because the desired state was changed back or is reached. Read anew from the API
 * server, never from the watch, and bound to what was read: a change that comes in between keeps its hold.
 */
export async function releaseLeftover(
  view: ClusterView,
  group: KubeObject,
  changeId: string | null,
  why: keyof typeof WHY,
): Promise<boolean> {
  const { name, namespace } = group.metadata
  const resource = groupResource(group.kind, group.apiVersion)
  const object = await view.client.get(resource, name, namespace)
  const annotations = object.metadata.annotations ?? {}
  if (object.metadata.uid !== group.metadata.uid || !(HELD in annotations)) return false
  const { clusterId, client, capabilities } = view
  // What its operator counted was before it saw what is wanted now: whether nodes are elsewhere is not known.
  if (isPool(group) && readPool(object).pending) return false
  const read = { ...object, kind: group.kind }
  const change = await groupChange(read, { clusterId, client, resources: capabilities.resources })
  if (change.pairs.length > 0 && !(await isBackBeforeDate(clusterId, read, change))) return false
  // A pause that a person set stays theirs.
  const body = boundTo(object.metadata.resourceVersion, releaseFields(read))
  // All of its nodes are through with it: the watch would take the pool for changed, and hold it, again and again.
  if (isPool(group)) await letBe(view, [{ id: group.metadata.uid, mark: watchMark({ ...group, spec: object.spec }) }])
  const { sentence, ...actions } = WHY[why]
  const about = { id: changeId ?? group.metadata.uid, ...actions }
  const stored = await audited(view, object, about, () => view.client.patch(resource, name, namespace, 'merge', body))
  if (stored) await sendEvent(view.client, stored, 'DrydockReleased', sentence)
  return stored !== null
}
