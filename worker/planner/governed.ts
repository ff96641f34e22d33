import { db, type Tx } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { continuedOf } from '@/lib/services/changes/continued'
import type { ClusterView } from '../types'

export const isGoverned = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.group.count({ where: { id, governed: true } })) > 0

/** Namespaces, whose labels say what is governed, are not heard of yet: that is a matter of a moment. */
const isOpen = async (tx: Tx, view: ClusterView): Promise<boolean> =>
  view.heard?.('namespaces') === 'open' &&
  (await tx.policy.count({ where: { clusterId: view.clusterId, governs: 'namespace-label' } })) > 0

/** Also where its namespace may say so. */
export const mayBeGoverned = async (tx: Tx, view: ClusterView, id: string): Promise<boolean> =>
  (await isGoverned(tx, id)) || (await isOpen(tx, view))

/** What is held where it moves, or had stopped, before a disconnect: nothing is said of it before it is known whether it is governed. */
export async function waitsForNamespace(view: ClusterView, group: KubeObject, digest: string): Promise<boolean> {
  const { uid } = group.metadata
  if (!(await isOpen(db(), view)) || (await isGoverned(db(), uid))) return false
  const continued = await continuedOf(db(), { clusterId: view.clusterId, groupId: uid, digest }, new Date())
  return !!continued && (continued.untilHeld !== null || continued.stopped !== null)
}
