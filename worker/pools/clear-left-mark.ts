import { db } from '@/lib/db/client'
import { leftMark } from '@/lib/domain/latch/hold'
import { HELD, POOL_PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { groupResource } from '@/lib/services/changes/patch-for'
import { audited } from '../planner/audited'
import type { ClusterView } from '../types'

/**
 * Somebody resumed a pool and left Drydock's mark on it: whoever pauses it next would have their pause taken for Drydock's, and an
 * approval would end it. Bound to what was seen: where they were faster, the next look finds another pool.
 */
export async function clearLeftMark(view: ClusterView, pool: KubeObject): Promise<void> {
  if (!leftMark(pool) || (await isPutBack(pool))) return
  const { uid, name, resourceVersion } = pool.metadata
  const body = { metadata: { resourceVersion, annotations: { [POOL_PAUSED]: null } } }
  const about = { id: uid, intent: 'change.unmark', action: 'change.unmarked' }
  await audited(view, pool, about, () =>
    view.client.patch(groupResource(pool.kind, pool.apiVersion), name, '', 'merge', body),
  )
}

/** Where Drydock itself is the latch, a pool that still bears the words of its hold is paused again: the mark belongs to that. */
async function isPutBack({ metadata: { uid, annotations = {} } }: KubeObject): Promise<boolean> {
  if (!(HELD in annotations)) return false
  return (await db().group.count({ where: { id: uid, governed: true, cluster: { watchSince: { not: null } } } })) > 0
}
