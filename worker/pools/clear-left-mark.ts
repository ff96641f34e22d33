import { leftMark } from '@/lib/domain/latch/hold'
import { POOL_PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { groupResource } from '@/lib/services/changes/patch-for'
import { audited } from '../planner/audited'
import type { ClusterView } from '../types'

/**
 * Somebody resumed a pool and left Drydock's mark on it: whoever pauses it next would have their pause taken for Drydock's, and an
 * approval would end it. Bound to what was seen: where they were faster, the next look finds another pool.
 */
export async function clearLeftMark(view: ClusterView, pool: KubeObject): Promise<void> {
  if (!leftMark(pool)) return
  const { uid, name, resourceVersion } = pool.metadata
  const body = { metadata: { resourceVersion, annotations: { [POOL_PAUSED]: null } } }
  const about = { id: uid, intent: 'change.unmark', action: 'change.unmarked' }
  await audited(view, pool, about, () =>
    view.client.patch(groupResource(pool.kind, pool.apiVersion), name, '', 'merge', body),
  )
}
