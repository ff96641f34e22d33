import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Decision } from '@/lib/db/generated/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Hold } from '@/lib/services/changes/hold-of'
import { DECISION } from '@/lib/services/changes/patch-for'
import type { ClusterView } from '../types'

/** The same write took the hold away. */
export const isDecidedBy = (group: KubeObject, decision: Decision): boolean =>
  group.metadata.annotations?.[DECISION] === decision.id

/** The watch shows what the decision asked for: the third tick. */
export async function markSeen(view: ClusterView, group: KubeObject, decision: Decision, hold: Hold): Promise<boolean> {
  if (decision.state === 'seen') return true
  if (!isDecidedBy(group, decision) || (decision.mode !== 'reject' && hold === 'latch')) return false
  const { count } = await db().decision.updateMany({
    where: { id: decision.id, state: 'accepted' },
    data: { state: 'seen', seenAt: new Date() },
  })
  if (count > 0) await announce(db(), { topic: 'decisions', cluster: view.clusterId, ids: [decision.id] })
  return count > 0
}
