import type { KubeObject } from '@/lib/kubernetes/types'
import { conditionsOf } from '../conditions'

/** As the manager of control planes checks before each step: kubeadmcontrolplane/preflight.go, checkHealthiness. */
const COMPONENTS = ['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy']
const ETCD = ['EtcdPodHealthy', 'EtcdMemberHealthy']

/**
 * A control plane machine that Cluster API would delete instead of updating it in place when its turn comes, without asking
 * anybody: it alone fails the checks (kubeadmcontrolplane/inplace.go, tryInPlaceUpdate). Null: those to be updated, by their
 * names, are well. Only machines that are not up to date are picked. What its own manager says of it is as old as the hold;
 * the node's health is looked at all the time.
 */
export function illAmong(machines: readonly KubeObject[], inPlace: ReadonlySet<string>): string | null {
  const members = machines.map((machine) => ({ machine, conditions: conditionsOf(machine) }))
  const etcd = members.some(({ conditions }) => conditions.some(({ type }) => ETCD.includes(type)))
  for (const { machine, conditions } of members) {
    const { name, deletionTimestamp } = machine.metadata
    if (!inPlace.has(name) || deletionTimestamp) continue
    const status = (type: string) => conditions.find((c) => c.type === type)?.status ?? 'Unknown'
    // Not by pressure on its memory or disk: that is not among the checks.
    const node = ['NodeReady', 'NodeHealthy'].find((type) => conditions.some((c) => c.type === type))
    if (!node || status(node) === 'Unknown' || status('NodeReady') === 'False')
      return `${name} is not well (its node is not ready): ${CONSEQUENCE}`
    const bad = [...COMPONENTS, ...(etcd ? ETCD : [])].find((type) => status(type) !== 'True')
    if (bad)
      return `${name} was not well when its manager last looked (${bad} was ${status(bad)}): ${CONSEQUENCE} ${OLD}`
  }
  return null
}

const CONSEQUENCE =
  'when its turn comes, Cluster API deletes a machine that it finds ill instead of updating it in place, and asks nobody. Wait until it is well, or approve replacing.'
const OLD =
  'While a control plane is held, its manager does not look again: where it is well by now, change it back, let it settle for a minute, and write the change again.'
