import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { conditionsOf } from '@/lib/providers/cluster-api/conditions'
import { kubeClientFor } from '../clusters/connection'

/** As the manager of control planes checks before each step: kubeadmcontrolplane/preflight.go, checkHealthiness. */
const COMPONENTS = ['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy']
const ETCD = ['EtcdPodHealthy', 'EtcdMemberHealthy']
const PAGE = 500

export type ControlPlane = Pick<Change, 'clusterId' | 'groupId' | 'namespace' | 'workloadCluster'>

/**
 * A control plane machine that Cluster API would delete instead of updating it in place when its turn comes, without asking
 * anybody: it alone fails the checks (kubeadmcontrolplane/inplace.go, tryInPlaceUpdate). Null: all of them are well.
 */
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
  const members = items
    .filter((machine) => machine.metadata.ownerReferences?.some(({ uid }) => uid === groupId))
    .map((machine) => ({ name: machine.metadata.name, conditions: conditionsOf(machine) }))
  const etcd = members.some(({ conditions }) => conditions.some(({ type }) => ETCD.includes(type)))
  for (const { name, conditions } of members) {
    const status = (type: string) => conditions.find((c) => c.type === type)?.status ?? 'Unknown'
    const bad = [...COMPONENTS, ...(etcd ? ETCD : [])].find((type) => status(type) !== 'True')
    if (bad)
      return `${name} is not well (${bad} is ${status(bad)}): when its turn comes, Cluster API deletes such a machine instead of updating it in place, and asks nobody. Wait until it is well, or approve replacing.`
  }
  return null
}
