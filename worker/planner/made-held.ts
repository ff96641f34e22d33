import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { KubeObject } from '@/lib/kubernetes/types'
import { writtenAt } from '@/lib/providers/cluster-api'
import { lockChange } from '@/lib/services/changes/lock-change'
import { isMadeUnasked, recordMadeUnasked } from '@/lib/services/changes/made-unasked'
import { recordMovedUnapproved } from '@/lib/services/changes/moved-unapproved'
import type { ClusterView } from '../types'
import { owned, type Row } from './common'

/** By the API server's clock, which may be ahead: it was not made later than it is seen. */
const MADE = `
UPDATE machine_progress p SET started_at = least(m.created_at, now()) FROM machine m, change c
WHERE c.id = $1::uuid AND c.group_kind = 'MachineDeployment' AND p.change_id = c.id AND m.id = p.machine_id
  AND p.state = 'created' AND p.started_at IS NULL AND NOT m.deleting`

/** Most of what waits was never let go. */
export const mayBeMade = async ({ id, groupKind }: Row): Promise<boolean> =>
  groupKind === 'MachineDeployment' &&
  (await db().machineProgress.count({ where: { changeId: id, state: 'created', startedAt: null } })) > 0

/**
 * A machine of a change that was let go before was made although its group was held again, by what its machine set had been told until
 * then: it has begun from there on, and that is on record with it: it may be approved before the next look. False: there is none.
 */
export const madeWhileHeld = (view: ClusterView, open: Row): Promise<boolean> =>
  db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, open.id)
    if ((await tx.$executeRawUnsafe(MADE, open.id)) === 0) return false
    await recordMovedUnapproved(tx, open, view.name)
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [open.id] })
    return true
  })

/** The same of what only the gate holds, which nobody ever let go: it asks for no machine that is made. */
export async function madeUnderGate(view: ClusterView, open: Row, group: KubeObject): Promise<boolean> {
  const written = writtenAt(group)
  if (open.groupKind !== 'KubeadmControlPlane' || !(await isMadeUnasked(open.id, written))) return false
  return db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, open.id)
    if (!(await recordMadeUnasked(tx, open, view.name, written))) return false
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [open.id] })
    return true
  })
}
