import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { namedIn } from '@/lib/kubernetes/paths'
import { recordAudit } from '@/lib/services/audit/record'
import { LET_GO } from '@/lib/services/changes/let-go-outside'
import { systemCtx } from '@/lib/services/context'
import type { ClusterView } from '../types'
import { mayBeGoverned } from './governed'

/** Nothing is held any more, and nobody decided so here. */
export async function recordLetGo(
  tx: Tx,
  view: ClusterView,
  change: Change,
  rejected: boolean,
  what = 'Its hold was taken away outside Drydock',
): Promise<void> {
  await recordAudit(tx, systemCtx('planner'), {
    action: LET_GO,
    target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
    cluster: { id: view.clusterId, name: view.name },
    reason: `${what}${rejected ? ', although it was rejected' : ''}.`,
    details: { summary: change.summary },
  })
}

/** Somebody’s own pause kept what nobody governs, and is gone: nothing of Drydock was taken away. */
export const isOnlyResumed = async (tx: Tx, view: ClusterView, { heldBy, groupId }: Change): Promise<boolean> =>
  heldBy === 'person' && !(await mayBeGoverned(tx, view, groupId))
