import { db, type Tx } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Continued } from '@/lib/services/changes/continued'
import type { ClusterView } from '../types'

export const isGoverned = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.group.count({ where: { id, governed: true } })) > 0

const byNamespace = async (tx: Tx, { clusterId }: ClusterView): Promise<boolean> =>
  (await tx.policy.count({ where: { clusterId, governs: 'namespace-label' } })) > 0

/** Namespaces, whose labels say what is governed, are not heard of yet: that is a matter of a moment. */
const isOpen = async (tx: Tx, view: ClusterView): Promise<boolean> =>
  view.heard?.('namespaces') === 'open' && (await byNamespace(tx, view))

/** Also where its namespace may say so. */
export const mayBeGoverned = async (tx: Tx, view: ClusterView, id: string): Promise<boolean> =>
  (await isGoverned(tx, id)) || (await isOpen(tx, view))

/** What begins and nothing holds: nothing is said of it, or taken for let go, before it is known whether it is governed. */
export const waitsForNamespaces = (view: ClusterView): Promise<boolean> => isOpen(db(), view)

/** Namespaces are refused, or do not come: what was decided on before its cluster was disconnected was governed, as far as anybody knows. */
export async function asFarAsKnown(
  tx: Tx,
  view: ClusterView,
  { metadata }: KubeObject,
  continued: Continued | null,
): Promise<boolean> {
  if (await isGoverned(tx, metadata.uid)) return true
  const decided = continued && (continued.letGoBy ?? continued.rejected ?? continued.taken)
  const isUnheard = () => !view.objects('namespaces').has(metadata.namespace ?? '')
  return !!decided && view.heard?.('namespaces') === 'refused' && isUnheard() && (await byNamespace(tx, view))
}
