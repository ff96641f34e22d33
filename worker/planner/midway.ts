import { db } from '@/lib/db/client'
import { valueAt } from '@/lib/domain/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { stillInEtcd } from '@/lib/providers/cluster-api'
import { clientSource } from '@/lib/providers/cluster-api/changes'
import { isHeld } from '@/lib/services/changes/hold-of'
import { letGoOf } from '@/lib/services/changes/let-go'
import { groupResource } from '@/lib/services/changes/patch-for'
import type { ClusterView } from '../types'
import type { Running } from './stop'

/**
 * Whether a control plane is in the middle of replacing a machine, so that its manager is needed: until it has taken the member
 * out of etcd, and where the old machine goes first, until there is another in its place. Paused before that, the deletion would
 * hang, or a member be missing, for as long as the hold lasts. Nothing else begins meanwhile: the manager waits for this one.
 */
export async function isMidway(view: ClusterView, change: Running): Promise<boolean> {
  const { groupId, groupKind, groupName, namespace } = change
  if (groupKind !== 'KubeadmControlPlane') return false
  const row = await db().group.findUnique({ where: { id: groupId }, select: { apiVersion: true } })
  if (!row) return false
  const group = await view.client.get(groupResource(groupKind, row.apiVersion), groupName, namespace)
  if (group.metadata.uid !== groupId || isHeld(group)) return false
  const { client, capabilities } = view
  const machines = await clientSource({ client, resources: capabilities.resources, letGo: letGoOf }).machines(group)
  const goes = ({ metadata }: KubeObject) => metadata.deletionTimestamp !== undefined
  if (machines.some((machine) => goes(machine) && stillInEtcd(machine))) return true
  // Below that it makes machines, and takes none away.
  const { replicas, surge } = wishOf(group)
  return surge === 0 && machines.filter((machine) => !goes(machine)).length < replicas
}

/** How many machines it is to have, and how many more for a moment; `rollout.strategy` is `rolloutStrategy` in v1beta1. */
function wishOf({ spec = {} }: KubeObject): { replicas: number; surge: number } {
  const surge =
    valueAt(spec, 'rollout', 'strategy', 'rollingUpdate', 'maxSurge') ??
    valueAt(spec, 'rolloutStrategy', 'rollingUpdate', 'maxSurge')
  return { replicas: Number(spec.replicas ?? 1), surge: Number(surge ?? 1) }
}
