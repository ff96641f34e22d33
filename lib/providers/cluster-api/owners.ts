import type { KubeObject } from '@/lib/kubernetes/types'
import { text } from '../fields'
import type { ProjectionContext } from '../rows'

const CLUSTER_NAME = 'cluster.x-k8s.io/cluster-name'
const DEPLOYMENT_NAME = 'cluster.x-k8s.io/deployment-name'
const CONTROL_PLANE = 'cluster.x-k8s.io/control-plane'

/** Names of long groups are hashed in labels, so owners are asked first. */
export function ownerOf(object: KubeObject, kind?: string): { kind: string; name: string } | undefined {
  const owners = object.metadata.ownerReferences ?? []
  return kind ? owners.find((owner) => owner.kind === kind) : owners.find((owner) => owner.controller)
}

export function workloadClusterOf(object: KubeObject): string {
  const label = object.metadata.labels?.[CLUSTER_NAME]
  return text(object.spec, 'clusterName') ?? ownerOf(object, 'Cluster')?.name ?? label ?? ''
}

export interface MachineOwner {
  groupKind: string | null
  groupName: string | null
  machineSet: string | null
  controlPlane: boolean
}

/** The group of a Machine: the MachineDeployment behind its MachineSet, the control plane, the pool, or nobody. */
export function machineOwner(machine: KubeObject, context: ProjectionContext): MachineOwner {
  const labels = machine.metadata.labels ?? {}
  const controlPlane = CONTROL_PLANE in labels
  const owner = ownerOf(machine)
  if (owner?.kind !== 'MachineSet') {
    return { groupKind: owner?.kind ?? null, groupName: owner?.name ?? null, machineSet: null, controlPlane }
  }
  const key = machine.metadata.namespace ? `${machine.metadata.namespace}/${owner.name}` : owner.name
  const machineSet = context.find('machinesets.cluster.x-k8s.io', key)
  const deployment = machineSet ? ownerOf(machineSet, 'MachineDeployment')?.name : labels[DEPLOYMENT_NAME]
  const groupKind = deployment ? 'MachineDeployment' : 'MachineSet'
  return { groupKind, groupName: deployment || owner.name, machineSet: owner.name, controlPlane }
}
