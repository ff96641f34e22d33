import type { StreamRow } from '@/lib/services/clusters/get-cluster'

const KINDS: Record<string, [one: string, many: string]> = {
  clusters: ['Cluster', 'Clusters'],
  kubeadmcontrolplanes: ['KubeadmControlPlane', 'KubeadmControlPlanes'],
  machinedeployments: ['MachineDeployment', 'MachineDeployments'],
  machinesets: ['MachineSet', 'MachineSets'],
  machinepools: ['MachinePool', 'MachinePools'],
  machinehealthchecks: ['MachineHealthCheck', 'MachineHealthChecks'],
  machines: ['Machine', 'Machines'],
  controlplanemachinesets: ['ControlPlaneMachineSet', 'ControlPlaneMachineSets'],
  machineconfigpools: ['MachineConfigPool', 'MachineConfigPools'],
}

function counted({ resource, elsewhere }: Pick<StreamRow, 'resource' | 'elsewhere'>): string {
  const [one, many] = KINDS[resource.split('.')[0]!] ?? ['object', 'objects']
  return `${elsewhere.toLocaleString('en-GB')} ${elsewhere === 1 ? one : many}`
}

/** Of a cluster with objects that are, by their uids, another connected cluster's; null: it has none. */
export function elsewhereWords(
  streams: readonly Pick<StreamRow, 'resource' | 'elsewhere' | 'elsewhereIn'>[],
): string | null {
  const some = streams.filter(({ elsewhere }) => elsewhere > 0)
  if (some.length === 0) return null
  const names = [...new Set(some.flatMap(({ elsewhereIn }) => elsewhereIn))].sort().join(', ') || 'another cluster'
  return `Objects here have the uids of objects of ${names}: ${some.map(counted).join(', ')}. These are shown, planned and approved there alone, and no page shows what is held or moves of the ones here. Whatever else is here is shown, planned and approved here. Either this is ${names}, connected twice, or one of them is a copy of the other: disconnect one.`
}
