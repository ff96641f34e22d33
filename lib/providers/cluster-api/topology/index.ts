import { isObject, same } from '@/lib/domain/changes'
import type { Json, JsonObject } from '@/lib/domain/json'
import { applyPatch } from '@/lib/domain/merge-patch'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, count, items, text } from '../../fields'
import {
  patchesReading,
  reaches,
  READS_REPLICAS,
  READS_VERSION,
  readsVariable,
  type ReadingPatch,
  type Reads,
} from './patches'

/** What a Cluster of a ClusterClass would have written to one of its groups. */
export interface GroupPlan {
  /** Merge patch for the group's spec; null: it keeps what it has. */
  patch: JsonObject | null
  undetermined: string[]
  notes: string[]
}

export interface TopologyPlan {
  controlPlane: GroupPlan
  /** By the name that the topology gives them. */
  deployments: Map<string, GroupPlan>
  added: { name: string; replicas: number }[]
  removed: string[]
  /** What is about no group that Drydock plans: machine pools. */
  undetermined: string[]
}

const DEFER = 'topology.cluster.x-k8s.io/defer-upgrade'
const HOLD = 'topology.cluster.x-k8s.io/hold-upgrade-sequence'

/** Written through to what is there, without a rollout. */
const IN_PLACE = new Set([
  ...['metadata', 'deletion', 'readinessGates', 'minReadySeconds', 'healthCheck', 'machineHealthCheck', 'taints'],
  ...['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout'],
])
const TOPOLOGY = new Set(['version', 'controlPlane', 'workers', 'variables'])

const fresh = (): GroupPlan => ({ patch: null, undetermined: [], notes: [] })
const keysOf = (...values: (Json | undefined)[]): string[] => [
  ...new Set(values.flatMap((value) => (isObject(value) ? Object.keys(value) : []))),
]
const differing = (a: Json | undefined, b: Json | undefined): string[] =>
  keysOf(a, b).filter((key) => !same(at(a, key), at(b, key)))
const byName = (list: Json[]): Map<string, Json> =>
  new Map(list.map((item) => [text(item, 'name') ?? '', item] as const))

/**
 * What of a change of a Cluster's topology determines machines, group by group. What only the topology controller can
 * compute (patches of the ClusterClass) is said to be undetermined; which groups it reaches is known all the same.
 */
export function topologyPlan(live: KubeObject, planned: KubeObject, clusterClass: KubeObject | null): TopologyPlan {
  const [before, after] = [at(live.spec, 'topology'), at(planned.spec, 'topology')]
  const deployments = items(after, 'workers', 'machineDeployments')
  const had = byName(items(before, 'workers', 'machineDeployments'))
  const has = byName(deployments)
  const plan: TopologyPlan = {
    controlPlane: fresh(),
    deployments: new Map([...has.keys()].filter((name) => had.has(name)).map((name) => [name, fresh()])),
    added: [...has]
      .filter(([name]) => !had.has(name))
      .map(([name, md]) => ({ name, replicas: count(md, 'replicas') ?? 1 })),
    removed: [...had.keys()].filter((name) => !has.has(name)),
    undetermined: [],
  }
  const everybody = () => [plan.controlPlane, ...plan.deployments.values()]
  const reached = ({ reach }: ReadingPatch) => [
    ...(reach.controlPlane ? [plan.controlPlane] : []),
    ...[...plan.deployments].filter(([name]) => reaches(reach, text(has.get(name), 'class') ?? '')).map(([, g]) => g),
  ]
  /** What patches make of something is not known here, nor which they are where the class cannot be read. */
  const unknownBy = (reads: Reads, words: string, within = everybody()) => {
    if (!clusterClass) {
      const why = `${words}, and the ClusterClass cannot be read: what its patches make of it is not known.`
      for (const group of within) group.undetermined.push(why)
      return
    }
    for (const patch of patchesReading(clusterClass, reads))
      for (const group of reached(patch).filter((one) => within.includes(one)))
        group.undetermined.push(
          `${words}, which the patch ${patch.name} of the ClusterClass ${clusterClass.metadata.name} reads. What it makes of it, only Cluster API can tell.`,
        )
  }

  const [from, to] = [text(before, 'version'), text(after, 'version')]
  // Whose upgrade was put off, and is not any more, has it now.
  if (to && (from !== to || letGo(had, has))) writeVersion(plan, deployments, to)
  if (to && from !== to) {
    if (minorsBetween(from, to) > 1)
      for (const group of everybody())
        group.undetermined.push(`From ${from} to ${to}, Cluster API goes through versions in between, each a rollout.`)
    unknownBy(READS_VERSION, `The version changes`)
  }
  for (const [name, words] of changedVariables(items(before, 'variables'), items(after, 'variables')))
    unknownBy(readsVariable(name), words)
  for (const key of differing(before, after).filter((one) => !TOPOLOGY.has(one)))
    for (const group of everybody())
      group.undetermined.push(
        `spec.topology.${key} changes: what that makes of the machines, only Cluster API can tell.`,
      )

  part(plan.controlPlane, at(before, 'controlPlane'), at(after, 'controlPlane'), unknownBy)
  for (const [name, group] of plan.deployments) part(group, had.get(name), has.get(name), unknownBy)
  const pools = items(after, 'workers', 'machinePools')
  if (!same(at(before, 'workers', 'machinePools'), at(after, 'workers', 'machinePools')))
    plan.undetermined.push('Machine pools of the topology change: Drydock does not plan those.')
  else if (pools.length > 0 && differing(before, after).some((key) => key !== 'workers' && key !== 'controlPlane'))
    plan.undetermined.push('Machine pools of the topology may change with it: Drydock does not plan those.')
  return plan
}

/** Whether an upgrade that was put off is not any more: of a deployment that stays, or of what one held behind itself. */
const letGo = (had: Map<string, Json>, has: Map<string, Json>): boolean =>
  [...had].some(([name, md]) => {
    const lost = (key: string) =>
      at(md, 'metadata', 'annotations', key) !== undefined &&
      at(has.get(name), 'metadata', 'annotations', key) === undefined
    return lost(HOLD) || (has.has(name) && lost(DEFER))
  })

/** Those that defer keep theirs, and so do all after one that holds the sequence. */
function writeVersion(plan: TopologyPlan, deployments: Json[], version: string): void {
  write(plan.controlPlane, { version })
  let held: string | null = null
  for (const md of deployments) {
    const group = plan.deployments.get(text(md, 'name') ?? '')
    const annotations = at(md, 'metadata', 'annotations')
    if (at(annotations, HOLD) !== undefined) held ??= text(md, 'name')
    if (!group) continue
    if (held) group.notes.push(`It keeps its version: ${held} holds the upgrade sequence (${HOLD}).`)
    else if (at(annotations, DEFER) !== undefined)
      group.notes.push(`It keeps its version: its upgrade is deferred (${DEFER}).`)
    else {
      write(group, { template: { spec: { version } } })
      group.notes.push(
        'Cluster API gives it the new version once the control plane has it, one deployment after another.',
      )
    }
  }
}

type UnknownBy = (reads: Reads, words: string, within?: GroupPlan[]) => void

/** One group's own part of the topology. */
function part(group: GroupPlan, before: Json | undefined, after: Json | undefined, unknownBy: UnknownBy): void {
  for (const key of differing(before, after)) {
    const value = at(after, key) ?? null
    if (IN_PLACE.has(key)) continue
    if (key === 'replicas') {
      if (typeof value === 'number') write(group, { replicas: value })
      unknownBy(READS_REPLICAS, 'The number of replicas changes', [group])
    } else if (key === 'rollout') write(group, { rollout: rewritten(at(before, key), value) })
    else if (key === 'failureDomain') write(group, { template: { spec: { failureDomain: value } } })
    else if (key === 'variables')
      for (const [name, words] of changedVariables(items(before, key, 'overrides'), items(after, key, 'overrides')))
        unknownBy(readsVariable(name), words, [group])
    else
      group.undetermined.push(
        `Its ${key} in the topology changes: what that makes of the machines, only Cluster API can tell.`,
      )
  }
}

/** What is no longer given is taken away. */
const rewritten = (before: Json | undefined, after: Json): Json =>
  isObject(before) && isObject(after) ? applyPatch(before, after) : after

function write(group: GroupPlan, spec: JsonObject): void {
  group.patch = merged(group.patch ?? {}, spec)
}

const merged = (a: JsonObject, b: JsonObject): JsonObject =>
  Object.fromEntries(
    keysOf(a, b).map((key) => {
      const [left, right] = [a[key], b[key]]
      return [key, isObject(left) && isObject(right) ? merged(left, right) : (right ?? left ?? null)]
    }),
  )

function changedVariables(before: Json[], after: Json[]): [string, string][] {
  const [had, has] = [byName(before), byName(after)]
  return [...new Set([...had.keys(), ...has.keys()])]
    .filter((name) => !same(at(had.get(name), 'value'), at(has.get(name), 'value')))
    .map((name) => [name, `The variable ${name} changes`])
}

function minorsBetween(from: string | null, to: string): number {
  const minor = (version: string) => Number(/^v?\d+\.(\d+)/.exec(version)?.[1] ?? 0)
  return from ? minor(to) - minor(from) : 0
}
