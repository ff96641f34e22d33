import type { Capabilities } from '@/lib/domain/capabilities'
import { parseResource } from '@/lib/kubernetes/paths'
import type { Resource } from '@/lib/kubernetes/types'

/** How one resource is watched. */
export interface StreamPlan {
  /** Its own name: "machines.cluster.x-k8s.io", or "configmaps/admin-acks" where a resource is watched in parts. */
  stream: string
  /** The resource as consumers know it: "configmaps". What its parts hold is one cache. */
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
  /** One object of a resource that is not to be read whole: the role names it, so the watch has to as well. */
  object?: string
  keep?: false
  afterGroups?: true
  openshift?: true
  namespace?: string
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
  { name: 'machineconfignodes.machineconfiguration.openshift.io', openshift: true },
  { name: 'machineosconfigs.machineconfiguration.openshift.io', openshift: true },
  { name: 'machinesets.machine.openshift.io', openshift: true },
  { name: 'controlplanemachinesets.machine.openshift.io', openshift: true },
  { name: 'clusterversions.config.openshift.io', openshift: true },
  { name: 'clusteroperators.config.openshift.io', openshift: true },
  { name: 'infrastructures.config.openshift.io', openshift: true },
  { name: 'provisionings.metal3.io', openshift: true },
  config('openshift-machine-config-operator', 'coreos-bootimages'),
  config('openshift-config-managed', 'admin-gates'),
  config('openshift-config', 'admin-acks'),
  { name: 'nodes', openshift: true, keep: false, afterGroups: true },
  { name: 'machines.machine.openshift.io', openshift: true, keep: false, afterGroups: true },
]

function config(namespace: string, object: string): Wanted {
  return { name: 'configmaps', openshift: true, namespace, object }
}

/** What to watch on a cluster that serves this. Nodes and config maps matter only where OpenShift is. */
export function planStreams(capabilities: Capabilities): StreamPlan[] {
  return WANTED.filter((wanted) => capabilities.resources[wanted.name] && (!wanted.openshift || capabilities.openshift))
    .filter((wanted) => wanted.name !== 'namespaces' || capabilities.clusterApi)
    .map(({ name, namespace, object, keep = true, afterGroups = false }) => ({
      stream: object ? `${name}/${object}` : name,
      name,
      resource: parseResource(name, capabilities.resources[name]!),
      namespace,
      fieldSelector: object && `metadata.name=${object}`,
      keep,
      afterGroups,
    }))
}
