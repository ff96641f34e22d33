import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { illAmong } from '@/lib/providers/cluster-api/changes'
import { kubeClientFor } from '../clusters/connection'
import { changeSetOf } from './change-row'

const PAGE = 500

export type ControlPlane = Pick<Change, 'clusterId' | 'groupId' | 'namespace' | 'workloadCluster' | 'changeSet'>

/** Asked of the cluster, right before it is released: which of its machines Cluster API would delete instead; null: none. */
export async function illMember(change: ControlPlane): Promise<string | null> {
  const { clusterId, groupId, namespace, workloadCluster } = change
  const row = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { discovery: true } })
  const resources = (row?.discovery as unknown as Capabilities | null)?.resources ?? {}
  const version = resources['machines.cluster.x-k8s.io'] ?? 'v1beta2'
  const client = await kubeClientFor(clusterId)
  const { items } = await client.list({ group: 'cluster.x-k8s.io', version, plural: 'machines' }, namespace, {
    limit: PAGE,
    labelSelector: `cluster.x-k8s.io/cluster-name=${workloadCluster},cluster.x-k8s.io/control-plane`,
  })
  const inPlace = new Set(
    changeSetOf(change)
      .pairs.filter((pair) => !pair.certainReplace)
      .map((pair) => pair.from),
  )
  return illAmong(
    items.filter((machine) => machine.metadata.ownerReferences?.some(({ uid }) => uid === groupId)),
    inPlace,
  )
}
