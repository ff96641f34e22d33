import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { conditionsOf } from '@/lib/providers/cluster-api/conditions'
import { kubeClientFor } from '../clusters/connection'
import { changeSetOf } from './change-row'

/** As the manager of control planes checks before each step: kubeadmcontrolplane/preflight.go, checkHealthiness. */
const COMPONENTS = ['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy']
const ETCD = ['EtcdPodHealthy', 'EtcdMemberHealthy']
const PAGE = 500

export type ControlPlane = Pick<Change, 'clusterId' | 'groupId' | 'namespace' | 'workloadCluster' | 'changeSet'>

/**
 * A control plane machine that Cluster API would delete instead of updating it in place when its turn comes, without asking
 * anybody: it alone fails the checks (kubeadmcontrolplane/inplace.go, tryInPlaceUpdate). Null: those to be updated are well.
 * Only machines that are not up to date are picked. What its own manager says of it is as old as the hold; the node's health
 * is looked at all the time.
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
  const inPlace = new Set(
    changeSetOf(change)
      .pairs.filter((pair) => !pair.certainReplace)
      .map((pair) => pair.from),
  )
  const members = items
    .filter((machine) => machine.metadata.ownerReferences?.some(({ uid }) => uid === groupId))
    .map((machine) => ({ name: machine.metadata.name, machine, conditions: conditionsOf(machine) }))
  const etcd = members.some(({ conditions }) => conditions.some(({ type }) => ETCD.includes(type)))
  for (const { name, machine, conditions } of members) {
    if (!inPlace.has(name) || machine.metadata.deletionTimestamp) continue
    const status = (type: string) => conditions.find((c) => c.type === type)?.status ?? 'Unknown'
    if (status('NodeHealthy') !== 'True') return `${name} is not well (its node): ${CONSEQUENCE}`
    const bad = [...COMPONENTS, ...(etcd ? ETCD : [])].find((type) => status(type) !== 'True')
    if (bad)
      return `${name} was not well when its manager last looked (${bad} was ${status(bad)}): ${CONSEQUENCE} ${OLD}`
  }
  return null
}

const CONSEQUENCE =
  'when its turn comes, Cluster API deletes such a machine instead of updating it in place, and asks nobody. Wait until it is well, or approve replacing.'
const OLD =
  'While a control plane is held, its manager does not look again: where it is well by now, change it back, let it settle for a minute, and write the change again.'
