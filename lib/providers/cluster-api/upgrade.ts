import { versionKey } from '@/lib/domain/version'
import type { Condition } from '@/lib/domain/rows'
import type { Json, JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, items, text } from '../fields'

const OWNED = 'topology.cluster.x-k8s.io/owned'
/** Name that a Cluster's topology gives one of its MachineDeployments. */
export const TOPOLOGY_NAME = 'topology.cluster.x-k8s.io/deployment-name'

const isControlPlane = ({ kind }: KubeObject): boolean => kind === 'KubeadmControlPlane'
const versionOf = (group: KubeObject): string | null =>
  isControlPlane(group) ? text(group.spec, 'version') : text(group.spec, 'template', 'spec', 'version')

/**
 * The version that the topology controller gives a group of its Cluster next, while it waits to do so: for lifecycle hooks,
 * for the control plane, for its turn. Null: none, or not known. It is the first of the Cluster's upgrade plan
 * (`status.*.upgradePlan`, Cluster API 1.14); without one, of versions that are one minor version apart at most, the wanted one.
 */
export function nextVersion(cluster: KubeObject, group: KubeObject): string | null {
  if (!isWanted(cluster, group)) return null
  const [has, wanted] = [versionOf(group)!, text(cluster.spec, 'topology', 'version')!]
  const plan = items(cluster.status, isControlPlane(group) ? 'controlPlane' : 'workers', 'upgradePlan').flatMap(
    (step) => text(step, 'version') ?? [],
  )
  // Of the version that was wanted before.
  if (plan.length > 0 && plan.at(-1) !== wanted) return null
  const next = plan[0] ?? (isOneStep(has, wanted) ? wanted : null)
  // A plan of steps that were made meanwhile: control planes never skip one.
  if (next && isControlPlane(group) && !isOneStep(has, next)) return null
  return next && isNotLower(next, has) ? next : null
}

/** Whether the Cluster has another version for the group at all, by whatever steps. */
export function isWanted(cluster: KubeObject, group: KubeObject): boolean {
  const [has, wanted] = [versionOf(group), text(cluster.spec, 'topology', 'version')]
  if (!has || !wanted || group.metadata.labels?.[OWNED] === undefined || cluster.metadata.deletionTimestamp)
    return false
  return isNotLower(wanted, has) && !isDeferred(cluster, group.metadata.labels[TOPOLOGY_NAME])
}

/** A version that a managed Cluster hands down to this group. */
export function isHandedDown(live: KubeObject, planned: KubeObject): boolean {
  const [has, next] = [versionOf(live), versionOf(planned)]
  return live.metadata.labels?.[OWNED] !== undefined && has !== null && next !== null && isNotLower(next, has)
}

/** Another one, and not a lower one: what differs in build metadata only is handed down as well (upgrade_plan.go). */
function isNotLower(version: string, than: string): boolean {
  const [a, b] = [versionKey(version), versionKey(than)]
  return version !== than && a !== null && b !== null && a >= b
}

/** Cluster API takes more than one minor version at once only in the steps of an upgrade plan. */
export function isOneStep(from: string, to: string): boolean {
  const [a, b] = [from, to].map((version) => /^v?(\d+)\.(\d+)\./.exec(version))
  return !!a && !!b && a[1] === b[1] && Number(b[2]) - Number(a[2]) <= 1
}

/** All that next versions depend on in a Cluster, as a text to compare. */
export const upgradeWish = ({ spec, status, metadata }: KubeObject): string =>
  JSON.stringify([
    text(spec, 'topology', 'version'),
    at(status, 'controlPlane', 'upgradePlan') ?? null,
    at(status, 'workers', 'upgradePlan') ?? null,
    ...topologyGroups(spec as JsonObject).map((wanted) => [text(wanted, 'name'), ...Object.values(deferring(wanted))]),
    metadata.deletionTimestamp ?? null,
  ])

/** The group as it will be with nothing but another version: as no manager has seen it yet. */
export function withVersion(before: KubeObject, version: string): KubeObject {
  const generation = (before.metadata.generation ?? 0) + 1
  const group = { ...before, metadata: { ...before.metadata, generation } }
  const spec = (group.spec ?? {}) as JsonObject
  if (isControlPlane(group)) return { ...group, spec: { ...spec, version } }
  const template = (spec.template ?? {}) as JsonObject
  const inner = { ...(template.spec as JsonObject | undefined), version }
  return { ...group, spec: { ...spec, template: { ...template, spec: inner } } }
}

/** Nothing of an earlier update of it is left: of another one, the topology controller waits for that as well. */
export function isSettled(group: KubeObject): boolean {
  const { spec, status } = group
  const number = (value: unknown) => (typeof value === 'number' ? value : null)
  const replicas = number(at(status, 'replicas')) ?? 0
  const current = number(at(status, 'upToDateReplicas')) ?? number(at(status, 'updatedReplicas')) ?? replicas
  const runs = isControlPlane(group) ? (text(status, 'version') ?? versionOf(group)) : versionOf(group)
  const seen = number(at(status, 'observedGeneration')) ?? 0
  return (
    current >= replicas && runs === versionOf(group) && seen >= (group.metadata.generation ?? 0) && !at(spec, 'paused')
  )
}

const DEFER = 'topology.cluster.x-k8s.io/defer-upgrade'
const HOLD_SEQUENCE = 'topology.cluster.x-k8s.io/hold-upgrade-sequence'

/**
 * Of these worker groups the one that gets a version first, in the order of the Cluster's topology (Cluster API,
 * desired_state.go, computeMachineDeploymentVersion); null: all have it, or are deferred. One
 * that the topology names and that is not there yet is made with the version that it is to have.
 */
export function nextInOrder<G extends { topologyName: string | null; version: string | null }>(
  cluster: JsonObject,
  groups: readonly G[],
  version: string,
): G | null {
  for (const wanted of topologyGroups(cluster.spec as JsonObject)) {
    const { defers, holds } = deferring(wanted)
    if (holds) return null
    const group = groups.find(({ topologyName }) => topologyName === text(wanted, 'name'))
    if (group && group.version !== version && !defers) return group
  }
  return null
}

const topologyGroups = (spec: JsonObject): Json[] => items(spec, 'topology', 'workers', 'machineDeployments')
const deferring = (wanted: Json) => {
  const annotations = at(wanted, 'metadata', 'annotations')
  return { defers: at(annotations, DEFER) !== undefined, holds: at(annotations, HOLD_SEQUENCE) !== undefined }
}

/** Its people said in the topology that the group does not get a version now (desired_state.go, isMachineDeploymentDeferred). */
function isDeferred(cluster: KubeObject, name: string | undefined): boolean {
  for (const wanted of name === undefined ? [] : topologyGroups(cluster.spec as JsonObject)) {
    const { defers, holds } = deferring(wanted)
    const isIt = text(wanted, 'name') === name
    if (holds || isIt) return holds || defers
  }
  return false
}

/** A lifecycle hook that blocks an upgrade, and what whoever answers it says. */
export interface BlockingHook {
  hook: string
  message: string
}

const BLOCKING = /Following hooks are blocking [\w ]+: (.*)$/m
const HOOK = /(?:^|; )((?:Before|After)[A-Za-z]+)(?:: )?/

/**
 * Which hooks a Cluster's condition TopologyReconciled says to be blocking (Cluster API, scope/hookresponsetracker.go,
 * AggregateMessage). One that is met by an annotation has that in its message.
 */
export function blockingHooks(conditions: readonly Pick<Condition, 'type' | 'status' | 'message'>[]): BlockingHook[] {
  const condition = conditions.find(({ type, status }) => type === 'TopologyReconciled' && status === 'False')
  const listed = BLOCKING.exec(condition?.message ?? '')?.[1]
  if (!listed) return []
  const parts = listed.split(HOOK).slice(1)
  return parts.flatMap((hook, i) => (i % 2 === 0 ? [{ hook, message: parts[i + 1] ?? '' }] : []))
}
