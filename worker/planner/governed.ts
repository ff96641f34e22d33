import { db, type Tx } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { continuedOf } from '@/lib/services/changes/continued'
import type { ClusterView } from '../types'

export const isGoverned = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.group.count({ where: { id, governed: true } })) > 0

/** Also where the label of its namespace may say so, and namespaces are not heard of yet: that is a matter of a moment. */
export async function mayBeGoverned(tx: Tx, view: ClusterView, id: string): Promise<boolean> {
  if (await isGoverned(tx, id)) return true
  if (view.heard?.('namespaces') !== 'open') return false
  return (await tx.policy.count({ where: { clusterId: view.clusterId, governs: 'namespace-label' } })) > 0
}

/** What is held where it moves, or had stopped, before a disconnect: nothing is said of it before it is known whether it is governed. */
export async function waitsForNamespace(view: ClusterView, group: KubeObject, digest: string): Promise<boolean> {
  const { uid } = group.metadata
  if ((await isGoverned(db(), uid)) || !(await mayBeGoverned(db(), view, uid))) return false
  const continued = await continuedOf(db(), { clusterId: view.clusterId, groupId: uid, digest }, new Date())
  return !!continued && (continued.untilHeld !== null || continued.stopped !== null)
}
