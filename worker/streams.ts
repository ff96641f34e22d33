import type { Capabilities } from '@/lib/domain/capabilities'
import { parseResource } from '@/lib/kubernetes/paths'
import type { Resource } from '@/lib/kubernetes/types'

/** How one resource is watched. */
export interface StreamPlan {
  name: string
  resource: Resource
  namespace?: string
  fieldSelector?: string
  /** Objects stay in memory for those who follow them; the others are projected and dropped. */
  keep: boolean
  /** Machines and nodes are listed when the groups that they belong to are known. */
  afterGroups: boolean
}

interface Wanted {
  name: string
  keep?: false
  afterGroups?: true
  openshift?: true
  namespace?: string
  fieldSelector?: string
}

const WANTED: Wanted[] = [
  { name: 'clusters.cluster.x-k8s.io' },
  { name: 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io' },
  { name: 'machinedeployments.cluster.x-k8s.io' },
  { name: 'machinesets.cluster.x-k8s.io' },
  { name: 'machinepools.cluster.x-k8s.io' },
  { name: 'machinehealthchecks.cluster.x-k8s.io' },
  { name: 'extensionconfigs.runtime.cluster.x-k8s.io' },
  { name: 'namespaces' },
  { name: 'machines.cluster.x-k8s.io', keep: false, afterGroups: true },
  { name: 'machineconfigurations.operator.openshift.io', openshift: true },
  { name: 'machineconfigpools.machineconfiguration.openshift.io', openshift: true },
  { name: 'machinesets.machine.openshift.io', openshift: true },
  { name: 'controlplanemachinesets.machine.openshift.io', openshift: true },
  { name: 'clusterversions.config.openshift.io', openshift: true },
  { name: 'clusteroperators.config.openshift.io', openshift: true },
  { name: 'infrastructures.config.openshift.io', openshift: true },
  {
    name: 'configmaps',
    openshift: true,
    namespace: 'openshift-machine-config-operator',
    fieldSelector: 'metadata.name=coreos-bootimages',
  },
  { name: 'nodes', openshift: true, keep: false, afterGroups: true },
  { name: 'machines.machine.openshift.io', openshift: true, keep: false, afterGroups: true },
]

/** What to watch on a cluster that serves this. Nodes and config maps matter only where OpenShift is. */
export function planStreams(capabilities: Capabilities): StreamPlan[] {
  return WANTED.filter((wanted) => capabilities.resources[wanted.name] && (!wanted.openshift || capabilities.openshift))
    .filter((wanted) => wanted.name !== 'namespaces' || capabilities.clusterApi)
    .map(({ name, namespace, fieldSelector, keep = true, afterGroups = false }) => ({
      name,
      resource: parseResource(name, capabilities.resources[name]!),
      namespace,
      fieldSelector,
      keep,
      afterGroups,
    }))
}
