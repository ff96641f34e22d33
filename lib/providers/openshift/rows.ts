import type { Json } from '@/lib/domain/json'
import { isNeverHeld } from '@/lib/domain/latch/hold'
import type { GroupRow, ProjectedGroup, WorkloadClusterRow } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'
import { count, text } from './loose'
import { machineRow, readNode } from './machine'
import { pausedSince, poolPauseOf, readPool } from './pools'
import { conditionsOf, readClusterVersion, readInfrastructure } from './readers'

function groupRow(cluster: string, object: KubeObject): GroupRow {
  const plane = object.kind === 'ControlPlaneMachineSet'
  const [desired, replicas] = [count(object, 'spec', 'replicas'), count(object, 'status', 'replicas')]
  const upToDate = plane ? count(object, 'status', 'updatedReplicas') : replicas
  const unavailable = count(object, 'status', 'unavailableReplicas')
  return {
    id: object.metadata.uid,
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
    ...{ drainSeconds: null, detachSeconds: null },
    paused: plane && text(object, 'spec', 'state') === 'Inactive',
    ...{ held: null, heldSince: null, ownPause: null },
    governed: false,
    rollingOut: plane && upToDate < replicas,
    topologyName: null,
    etcd: null,
    conditions: conditionsOf(object) as unknown as Json,
    resourceVersion: object.metadata.resourceVersion,
    generation: object.metadata.generation ?? 0,
    observedGeneration: count(object, 'status', 'observedGeneration'),
    createdAt: new Date(object.metadata.creationTimestamp),
  }
}

/** A pool as what is governed and decided on. The pool master is neither, and is no group. */
function poolGroup(cluster: string, object: KubeObject, governed: boolean | null): { group?: ProjectedGroup } {
  if (isNeverHeld(object)) return {}
  const pool = readPool(object)
  const { machines, updated, ready, unavailable } = pool.counts
  const pause = poolPauseOf(object)
  return {
    group: {
      ...{ id: object.metadata.uid, kind: object.kind, apiVersion: object.apiVersion, namespace: '' },
      ...{ name: pool.name, workloadCluster: cluster, version: null, governed },
      ...{ desiredReplicas: machines, replicas: machines, readyReplicas: ready, upToDateReplicas: updated },
      availableReplicas: Math.max(0, machines - unavailable),
      ...{ strategy: null, maxSurge: null, deletionOrder: null, drainSeconds: null, detachSeconds: null },
      maxUnavailable: pool.maxUnavailable === null ? '1' : String(pool.maxUnavailable),
      ...pause,
      heldSince: pausedSince(object),
      // Also where every node has it: it is through when each is available again.
      rollingOut: !pool.paused && machines > 0 && (updated < machines || pool.currentConfig !== pool.desiredConfig),
      ...{ topologyName: null, etcd: null, conditions: conditionsOf(object) as unknown as Json },
      resourceVersion: object.metadata.resourceVersion,
      generation: object.metadata.generation ?? 0,
      observedGeneration: count(object, 'status', 'observedGeneration'),
      createdAt: new Date(object.metadata.creationTimestamp),
    },
  }
}

/** An OpenShift cluster manages its own machines: it is its own workload cluster, and has the connection's id. */
function workloadClusterRow(
  clusterId: string,
  clusterVersion: KubeObject | undefined,
  infrastructure: KubeObject | undefined,
  fallback: string,
): WorkloadClusterRow {
  const version = readClusterVersion(clusterVersion)
  return {
    id: clusterId,
    namespace: '',
    name: clusterNameOf(infrastructure, fallback),
    provider: 'openshift',
    version: version.version,
    phase: version.updating ? 'Updating' : version.version ? 'Available' : null,
    topologyClass: null,
    paused: false,
    conditions: version.conditions as unknown as Json,
    domains: null,
    labels: {},
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
  pools: 'machineconfigpools.machineconfiguration.openshift.io',
  clusterVersions: 'clusterversions.config.openshift.io',
  infrastructures: 'infrastructures.config.openshift.io',
} as const

/** Raw objects to rows, for the projector. `now` in ms: a machine that never joined is told by its age. */
export const openshiftRows = {
  machine: machineRow,
  node: readNode,
  group: groupRow,
  pool: poolGroup,
  workloadCluster: workloadClusterRow,
  clusterNameOf,
}
