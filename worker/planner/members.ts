import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { isPool } from '@/lib/domain/latch/hold'
import { HELD, SEEN_STORED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { workloadClusterOf } from '@/lib/providers/cluster-api/owners'
import { readPool } from '@/lib/providers/openshift/pools'
import { clusterNameOf, OPENSHIFT_RESOURCES } from '@/lib/providers/openshift/rows'
import type { ChangeOutcome } from '@/lib/services/changes/change-row'
import { followNodes, keepNodes } from '../pools/follow-nodes'
import type { ClusterView } from '../types'
import { keepBaseline } from './baseline'
import type { PlanContext } from './common'
import { outcomeOf } from './outcome'
import { followMachines, type ProgressView } from './progress'

// What a group is made of: machines, or the nodes of a pool. Everything else about a change is the same.

/** Whose name OpenShift's own cluster has; until it is read, that is the name under which it was connected. */
export const INFRASTRUCTURES = OPENSHIFT_RESOURCES.infrastructures

/** What it was, where it was ever read; else the name under which it was connected, which stands on every page then. */
const knownName = (view: ClusterView): string => view.workload ?? view.name

/** Whether the name of a pool's cluster is on its way: policies go by it, so nothing that waits is decided by another one. */
export const nameIsComing = (view: ClusterView): boolean =>
  knownName(view) === view.name && view.heard?.(INFRASTRUCTURES) === 'open'

/** The name under which the cluster stands that the group is of. */
export const workloadOf = (view: ClusterView, group: KubeObject): string =>
  isPool(group)
    ? clusterNameOf(view.objects(INFRASTRUCTURES).get('cluster'), knownName(view))
    : workloadClusterOf(group)

/** The same of a change: while nobody can say, as in the moment in which the worker stops, it stays what it was, and so do its policies. */
export const workloadNow = (
  view: ClusterView,
  group: KubeObject,
  { workloadCluster }: Pick<Change, 'workloadCluster'>,
) =>
  isPool(group) && !view.workload && !view.objects(INFRASTRUCTURES).has('cluster')
    ? workloadCluster
    : workloadOf(view, group)

/** How each member fares in a running change. */
export function followMembers(
  group: KubeObject,
  ...[key, change, ...more]: Parameters<typeof followMachines>
): Promise<ProgressView> {
  return isPool(group) ? followNodes(key.fence, change, targetOf(group)) : followMachines(key, change, ...more)
}

/** Which members there are while it is held and undecided. */
export async function keepMembers(
  { fence }: ClusterView,
  { id, groupId }: Pick<Change, 'id' | 'groupId'>,
  group: KubeObject,
): Promise<void> {
  if (isPool(group)) await keepNodes(fence, id, groupId, targetOf(group), group.built)
  else await keepBaseline(fence, id, group.metadata.annotations?.[HELD] === SEEN_STORED)
}

/** What began of a pool that is held, although nobody ever let it go, and what it hangs on; null: it was let go, or nothing did. */
export async function begunUnapproved(
  { fence }: ClusterView,
  { id, groupId }: Pick<Change, 'id' | 'groupId'>,
  group: KubeObject,
): Promise<{ outcome: ChangeOutcome; stuck: string | null } | null> {
  if (!isPool(group) || (await wasEverLetGo(id))) return null
  const { rows, stuck } = await keepNodes(fence, id, groupId, targetOf(group), group.built)
  return rows.some(({ startedAt }) => startedAt) ? { outcome: outcomeOf(rows, false), stuck } : null
}

const wasEverLetGo = async (changeId: string): Promise<boolean> =>
  (await db().decision.count({ where: { changeId, mode: { not: 'reject' }, acceptedAt: { not: null } } })) > 0

/** Objects between it and its members, whose controllers may say why it does not get on. */
export const setsOf = async ({ source }: PlanContext, group: KubeObject): Promise<KubeObject[]> =>
  isPool(group) ? [] : source.machineSets(group)

const targetOf = (pool: KubeObject): string => readPool(pool).desiredConfig ?? ''
