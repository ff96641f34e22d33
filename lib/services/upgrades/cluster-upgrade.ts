import { db } from '@/lib/db/client'
import type { Condition } from '@/lib/domain/rows'
import { blockingHooks, type BlockingHook } from '@/lib/providers/cluster-api/upgrade'
import type { ChangeDto, ChangeState } from '../changes/change-row'
import { OPEN } from '../changes/states'

/** One group of a managed Cluster that gets, or got, the version of its Cluster. */
export interface UpgradeStep {
  changeId: string
  kind: string
  name: string
  state: ChangeState
  /** Approved, and waiting for its turn or its time. */
  due: boolean
}

/** The upgrade of a managed Cluster that a change is a part of. */
export interface ClusterUpgrade {
  cluster: string
  version: string
  /** Whose hook blocks it now, in the words of whoever answers; Drydock's own begin with "drydock: ". */
  blocking: BlockingHook[]
  /** Why the topology controller brings nothing in line, in its own words; null: it does. */
  failed: string | null
  /** The control plane first. */
  steps: UpgradeStep[]
}

const MOST = 50

/** Of a change of the version of a managed Cluster's group; null: it is none. */
export async function upgradeOf(
  change: Pick<ChangeDto, 'clusterId' | 'namespace' | 'workloadCluster' | 'fromVersion' | 'toVersion' | 'state'>,
): Promise<ClusterUpgrade | null> {
  const { clusterId, namespace, workloadCluster: name, fromVersion, toVersion: version, state } = change
  if (!version || version === fromVersion || !OPEN.includes(state)) return null
  const where = { clusterId_namespace_name: { clusterId, namespace, name } }
  const cluster = await db().workloadCluster.findUnique({ where, select: { topologyClass: true, conditions: true } })
  if (!cluster?.topologyClass) return null
  const rows = await db().change.findMany({
    where: { clusterId, namespace, workloadCluster: name, toVersion: version, state: { in: [...OPEN, 'done'] } },
    select: { id: true, groupId: true, groupKind: true, groupName: true, state: true, dueMode: true },
    orderBy: [{ groupKind: 'asc' }, { groupName: 'asc' }, { detectedAt: 'desc' }],
    take: MOST,
  })
  const newest = rows.filter(({ groupId }, i) => rows.findIndex((row) => row.groupId === groupId) === i)
  const conditions = cluster.conditions as unknown as Condition[]
  const topology = conditions.find(({ type }) => type === 'TopologyReconciled')
  return {
    ...{ cluster: name, version },
    blocking: blockingHooks(conditions),
    failed: topology?.status === 'False' && topology.reason === 'ReconcileFailed' ? topology.message : null,
    steps: newest.map(({ id, groupKind, groupName, state: its, dueMode }) => ({
      ...{ changeId: id, kind: groupKind, name: groupName, state: its as ChangeState, due: dueMode !== null },
    })),
  }
}
