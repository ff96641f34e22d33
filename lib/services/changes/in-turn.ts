import { db } from '@/lib/db/client'
import { outlookOf, type ChangeSet, type OutlookInput } from '@/lib/domain/changes'
import type { Json } from '@/lib/domain/json'
import type { GroupChange } from '@/lib/providers/cluster-api/changes'
import { turnsOf } from '../forecast/turns'

/**
 * Of a control plane, marked machines go also where they are what is wanted. Where only some of its machines can be updated
 * in place, it counts which have their turn first (marked ones, those of the domain with the most): that is played forward.
 */
export async function inTurn(
  clusterId: string,
  { owner, replicas, strategy }: GroupChange,
  changeSet: ChangeSet,
  input: OutlookInput,
): Promise<OutlookInput> {
  if (owner.kind !== 'KubeadmControlPlane' || input.pairs.length === 0) return input
  const { kind: groupKind, name: groupName, namespace, uid: groupId } = owner
  const rows = await db().machine.findMany({ where: { clusterId, namespace, groupKind, groupName } })
  const surge = strategy.type === 'RollingUpdate' ? String(strategy.maxSurge ?? 1) : null
  const { pairs } = input
  const old = new Set(pairs.map(({ from }) => from))
  const marked = rows.flatMap(({ name, deleteMarked }) => (deleteMarked && !old.has(name) ? [name] : []))
  const counted = { ...input, ...(marked.length > 0 ? { marked } : {}) }
  const outlook = outlookOf(counted)
  const certain = pairs.filter((pair) => pair.certainReplace).length + marked.length
  if (certain === 0 || pairs.every((pair) => pair.certainReplace) || input.impossible) return counted
  const wanted = { desiredReplicas: replicas, strategy: strategy.type, maxSurge: surge, maxUnavailable: null }
  const played = { changeSet: changeSet as unknown as Json, outlook: outlook as unknown as Json }
  const turns = await turnsOf(
    { clusterId, groupKind, groupName, namespace, groupId, ...played },
    { ...wanted, deletionOrder: null },
  )
  return turns ? { ...counted, turns } : counted
}
