import type { Condition } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'
import { count, intOrString, text } from '../fields'
import type { Projection } from '../rows'
import { conditionsOf } from './conditions'
import { ownerOf, workloadClusterOf } from './owners'
import { pauseOf } from './pause'
import { timeOutsOf } from './shape'
import { etcdOf } from './plane'
import { TOPOLOGY_NAME } from './upgrade'

/** A MachineDeployment, KubeadmControlPlane, MachinePool, or a MachineSet that stands alone, as a row. */
export const projectGroup: Projection = (group, context) => {
  // A MachineSet of a MachineDeployment is a revision of it, not a group of its own.
  if (group.kind === 'MachineSet' && ownerOf(group, 'MachineDeployment')) return {}
  const { metadata, spec, status } = group
  const conditions = conditionsOf(group)
  const replicas = count(status, 'replicas') ?? 0
  const upToDateReplicas = counter(group, 'upToDateReplicas', 'updatedReplicas') ?? replicas
  const observedGeneration = count(status, 'observedGeneration') ?? 0
  const generation = metadata.generation ?? 0
  const { held, paused, ownPause } = pauseOf(group)
  const condition = conditions.find((c) => c.type === 'RollingOut')
  const moving = condition
    ? condition.status === 'True'
    : upToDateReplicas < replicas || observedGeneration < generation
  return {
    group: {
      id: metadata.uid,
      kind: group.kind,
      apiVersion: group.apiVersion,
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      workloadCluster: workloadClusterOf(group),
      version: text(spec, 'version') ?? text(spec, 'template', 'spec', 'version'),
      ...rolloutShapeOf(group),
      ...timeOutsOf(group),
      replicas,
      readyReplicas: counter(group, 'readyReplicas', 'readyReplicas') ?? 0,
      availableReplicas: counter(group, 'availableReplicas', 'availableReplicas') ?? 0,
      upToDateReplicas,
      held,
      heldSince: held || paused ? pausedSince(conditions) : null,
      ...{ paused, ownPause },
      governed: context.governed(group),
      rollingOut: moving && !held && !paused,
      topologyName: group.kind === 'MachineDeployment' ? (metadata.labels?.[TOPOLOGY_NAME] ?? null) : null,
      etcd: etcdOf(group),
      conditions,
      resourceVersion: metadata.resourceVersion,
      generation,
      observedGeneration,
      createdAt: metadata.creationTimestamp,
    },
  }
}

/** As its manager says it; those of Cluster API before 1.9 say nothing. */
export const pausedSince = (conditions: readonly Condition[]): string | null =>
  conditions.find(({ type, status }) => type === 'Paused' && status === 'True')?.lastTransitionTime ?? null

/** Counters have one meaning in v1beta2; v1beta1 keeps those under status.v1beta2, and older managers only the old ones. */
function counter({ apiVersion, status }: KubeObject, now: string, before: string): number | null {
  if (!apiVersion.endsWith('/v1beta1')) return count(status, now)
  return count(status, 'v1beta2', now) ?? count(status, before)
}

/** How a group rolls, as it is wanted. */
export interface RolloutShape {
  desiredReplicas: number
  strategy: string | null
  maxSurge: string | null
  maxUnavailable: string | null
  deletionOrder: string | null
}

export const rolloutShapeOf = (group: KubeObject): RolloutShape => ({
  desiredReplicas: count(group.spec, 'replicas') ?? 1,
  ...strategyOf(group),
})

function strategyOf({ kind, spec }: KubeObject): Omit<RolloutShape, 'desiredReplicas'> {
  const rolling = (field: string) =>
    intOrString(spec, 'rollout', 'strategy', 'rollingUpdate', field) ??
    intOrString(spec, 'strategy', 'rollingUpdate', field) ??
    intOrString(spec, 'rolloutStrategy', 'rollingUpdate', field)
  const rolls = kind === 'MachineDeployment' || kind === 'KubeadmControlPlane'
  const given =
    text(spec, 'rollout', 'strategy', 'type') ?? text(spec, 'strategy', 'type') ?? text(spec, 'rolloutStrategy', 'type')
  const strategy = rolls ? (given ?? 'RollingUpdate') : null
  const numbers = strategy === 'RollingUpdate'
  return {
    strategy,
    // What the API server defaults where the field is absent.
    maxSurge: numbers ? (rolling('maxSurge') ?? '1') : null,
    maxUnavailable: numbers && kind === 'MachineDeployment' ? (rolling('maxUnavailable') ?? '0') : null,
    deletionOrder:
      text(spec, 'deletion', 'order') ??
      text(spec, 'strategy', 'rollingUpdate', 'deletePolicy') ??
      text(spec, 'deletePolicy'),
  }
}
