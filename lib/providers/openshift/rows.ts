import type { KubeObject } from '@/lib/kubernetes/types'
import type { Json } from '@/lib/domain/json'
import { count, text } from './loose'
import { machineRow, readNode } from './machine'
import { conditionsOf, readClusterVersion, readInfrastructure } from './readers'

/** A row of `machine_group`, without what the database fills in. */
export interface GroupRow {
  id: string
  clusterId: string
  kind: string
  apiVersion: string
  namespace: string
  name: string
  workloadCluster: string
  version: string | null
  desiredReplicas: number
  replicas: number
  readyReplicas: number
  availableReplicas: number
  upToDateReplicas: number
  strategy: string | null
  maxSurge: string | null
  maxUnavailable: string | null
  deletionOrder: string | null
  paused: boolean
  held: string | null
  governed: boolean
  rollingOut: boolean
  conditions: Json
  resourceVersion: string
  generation: bigint
  observedGeneration: bigint
  createdAt: Date
}

/** A row of `workload_cluster`: an OpenShift cluster manages its own machines, so it is its own workload cluster. */
export interface WorkloadClusterRow {
  id: string
  clusterId: string
  namespace: string
  name: string
  provider: 'openshift'
  version: string | null
  phase: string | null
  topologyClass: null
  paused: boolean
  conditions: Json
}

function groupRow(clusterId: string, cluster: string, object: KubeObject): GroupRow {
  const plane = object.kind === 'ControlPlaneMachineSet'
  const [desired, replicas] = [count(object, 'spec', 'replicas'), count(object, 'status', 'replicas')]
  const upToDate = plane ? count(object, 'status', 'updatedReplicas') : replicas
  const unavailable = count(object, 'status', 'unavailableReplicas')
  return {
    id: object.metadata.uid,
    clusterId,
    kind: object.kind,
    apiVersion: object.apiVersion,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    workloadCluster: cluster,
    version: null,
    desiredReplicas: desired,
    replicas,
    readyReplicas: count(object, 'status', 'readyReplicas'),
    availableReplicas: plane ? Math.max(0, replicas - unavailable) : count(object, 'status', 'availableReplicas'),
    upToDateReplicas: upToDate,
    strategy: plane ? (text(object, 'spec', 'strategy', 'type') ?? null) : null,
    maxSurge: null,
    maxUnavailable: null,
    deletionOrder: text(object, 'spec', 'deletePolicy') ?? null,
    paused: plane && text(object, 'spec', 'state') === 'Inactive',
    held: null,
    governed: false,
    rollingOut: plane && upToDate < replicas,
    conditions: conditionsOf(object) as unknown as Json,
    resourceVersion: object.metadata.resourceVersion,
    generation: BigInt(object.metadata.generation ?? 0),
    observedGeneration: BigInt(count(object, 'status', 'observedGeneration')),
    createdAt: new Date(object.metadata.creationTimestamp),
  }
}

function workloadClusterRow(
  clusterId: string,
  clusterVersion: KubeObject | undefined,
  infrastructure: KubeObject | undefined,
  fallback: string,
): WorkloadClusterRow {
  const version = readClusterVersion(clusterVersion)
  return {
    id: clusterId,
    clusterId,
    namespace: '',
    name: clusterNameOf(infrastructure, fallback),
    provider: 'openshift',
    version: version.version,
    phase: version.updating ? 'Updating' : version.version ? 'Available' : null,
    topologyClass: null,
    paused: false,
    conditions: version.conditions as unknown as Json,
  }
}

/** Name under which an OpenShift cluster's machines stand: its infrastructure name, else the connection's. */
export const clusterNameOf = (infrastructure: KubeObject | undefined, fallback: string): string =>
  readInfrastructure(infrastructure).name ?? fallback

/** Resources whose objects become rows. */
export const OPENSHIFT_RESOURCES = {
  machines: 'machines.machine.openshift.io',
  machineSets: 'machinesets.machine.openshift.io',
  controlPlanes: 'controlplanemachinesets.machine.openshift.io',
  clusterVersions: 'clusterversions.config.openshift.io',
  infrastructures: 'infrastructures.config.openshift.io',
} as const

/** Raw objects to rows, for the projector. `now` in ms: a machine that never joined is told by its age. */
export const openshiftRows = {
  machine: machineRow,
  node: readNode,
  group: groupRow,
  workloadCluster: workloadClusterRow,
  clusterNameOf,
}
