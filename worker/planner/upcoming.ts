import { db } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { pauseOf, versionAuthor } from '@/lib/providers/cluster-api'
import { workloadClusterOf } from '@/lib/providers/cluster-api/owners'
import { isSettled, isWanted, nextVersion, withVersion } from '@/lib/providers/cluster-api/upgrade'
import { isHeld } from '@/lib/services/changes/hold-of'
import { asksBefore, holderOf } from '@/lib/services/upgrades/lifecycle'
import type { ClusterView } from '../types'
import type { Row } from './common'

export const CLUSTERS = 'clusters.cluster.x-k8s.io'

/** A group as its Cluster's topology will make it, and who wrote that. */
export interface Upcoming {
  group: KubeObject
  author: string | null
}

/**
 * The group with the version that its managed Cluster has for it, where Cluster API asks Drydock before it writes that: what
 * comes can be looked at and approved while the group is neither paused nor touched. Null: nothing comes, or an earlier change of
 * the group is not over. `later`: something comes, and cannot be looked at yet: nobody is asked, or the group is not through with
 * what was before. What is known to come stays until it has come, or its Cluster wants something else.
 */
export async function upcoming(
  view: ClusterView,
  group: KubeObject,
  open: Row | null,
): Promise<Upcoming | 'later' | null> {
  if (isHeld(group) || (open && open.heldBy !== 'hook')) return null
  const cluster = view.objects(CLUSTERS).get(`${group.metadata.namespace ?? ''}/${workloadClusterOf(group)}`)
  // Lists of Clusters and groups come one after the other, and a plan of steps may be older than the group.
  if (cluster && !isWanted(cluster, group)) return null
  const next = (cluster && nextVersion(cluster, group)) ?? open?.toVersion ?? null
  if (!next) return cluster ? 'later' : null
  if (!open && !(await begins(view, group))) return 'later'
  return { group: withVersion(group, next), author: cluster ? versionAuthor(cluster) : null }
}

async function begins({ clusterId, capabilities }: ClusterView, group: KubeObject): Promise<boolean> {
  if (!isSettled(group) || pauseOf(group).paused) return false
  const [row, managing] = await Promise.all([
    db().group.findUnique({ where: { id: group.metadata.uid }, select: { governed: true } }),
    db().managementCluster.findUnique({
      where: { id: clusterId },
      select: { latchForm: true, gateState: true, gateStatus: true },
    }),
  ])
  if (!row || !managing || !asksBefore(managing, capabilities)) return false
  return holderOf(managing, capabilities, { kind: group.kind, governed: row.governed }) !== null
}
