import { firstToExpire } from '@/lib/domain/pools/certificates'
import { drainOf } from '@/lib/domain/pools/drain'
import { isUnavailable, phaseOf, UNDER_WAY } from '@/lib/domain/pools/node-phase'
import { nodeWords } from '@/lib/domain/pools/node-words'
import { atOnce, updatedNow } from '@/lib/domain/pools/progress'
import { poolState, type Begun, type OutOfWork } from '@/lib/domain/pools/state'
import { currentStep, stepsOf } from '@/lib/domain/pools/steps'
import { stuckFrom } from '@/lib/domain/pools/stuck'
import type { Phase, Pool } from '@/lib/domain/pools/types'
import { conditionOf, type Condition } from '@/lib/domain/skew/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import { poolOf, readConfigNode } from './config-nodes'
import { isPaused, pausedSince, pauseOwners, readPool, readWanted } from './pools'
import { writtenBy } from '../written-by'

export interface PoolObjects {
  pools: KubeObject[]
  /** MachineConfigNodes by name */
  steps: ReadonlyMap<string, KubeObject>
  nodes: KubeObject[]
  /** They, or their steps, are not heard any more: no pool is judged by them. */
  nodesOld?: boolean
  /** They were not listed yet: what is known of them stays. */
  nodesOpen?: boolean
  clusterVersion: KubeObject | undefined
  /** Release of each rendered config by name; absent: not read yet, null: it has none or cannot be read. */
  releases: ReadonlyMap<string, string | null>
}

/**
 * Since when a node is where it is, and a pool paused, as it was last found: conditions tell only of the newest try, and managedFields
 * of the newest write. `failed`: what was last said of a drain that failed, of a node whose drain has not succeeded since.
 */
export type Since = Map<string, { key: string; since: number; failed?: string | null }>

export type ConfigPoolRow = ReturnType<typeof poolRow>
export type ConfigNodeRow = ReturnType<typeof nodeRow>

/** Rows of a cluster's pools and of the nodes in them, or in none now. `since` is read and brought up to date; `now` in ms. */
export function poolRows(
  objects: PoolObjects,
  since: Since,
  now: number,
): { pools: ConfigPoolRow[]; nodes: ConfigNodeRow[] } {
  const pools = new Map(objects.pools.map((object) => [object.metadata.name, readPool(object)]))
  const nodes = objects.nodes.flatMap((node) => {
    const pool = pools.get(poolOf(node, objects.pools) ?? '') ?? poolless(node)
    return pool ? [nodeRow(node, pool, objects, since, now)] : []
  })
  const known = objects.nodesOld ? [] : nodes
  const rows = objects.pools.map((object) => {
    const pool = pools.get(object.metadata.name)!
    return poolRow(object, pool, [begunOf(pool, known), outOfWork(pool, known)], objects, since)
  })
  const alive = new Set([...nodes, ...rows].map(({ id }) => id))
  if (!objects.nodesOpen) for (const id of since.keys()) if (!alive.has(id)) since.delete(id)
  return { pools: rows, nodes }
}

/**
 * A node that its operator looks after, and no pool selects now: it keeps what it has, and takes up what is wanted where it comes (back)
 * into one. Its row is of no pool. Null: its operator never had it.
 */
function poolless(node: KubeObject): NodesPool | null {
  const { currentConfig, desiredConfig, desiredImage } = readConfigNode(node, '', undefined)
  return currentConfig === null ? null : { name: '', paused: true, desiredConfig, image: desiredImage }
}
type NodesPool = Pick<Pool, 'name' | 'paused' | 'desiredConfig' | 'image'>

/** Names of the rendered configs whose release is asked for. */
export function configNames(objects: Omit<PoolObjects, 'releases'>): string[] {
  const names = objects.pools.flatMap((object) => {
    const { currentConfig, desiredConfig } = readPool(object)
    return [currentConfig, desiredConfig]
  })
  for (const node of objects.nodes) names.push(readConfigNode(node, '', undefined).currentConfig)
  return [...new Set(names.filter((name) => name !== null))]
}

function begunOf({ name, counts, desiredConfig }: Pool, nodes: readonly ConfigNodeRow[]): Begun {
  const its = nodes.filter(({ pool }) => pool === name)
  if (its.length === 0 && counts.machines > 0) return null
  const begun = its.filter(({ phase }) => UNDER_WAY.includes(phase))
  const newest = begun.filter((node) => node.desiredConfig === desiredConfig).length
  return { newest, before: begun.length - newest }
}

function outOfWork({ name, counts, desiredConfig, image }: Pool, nodes: readonly ConfigNodeRow[]): OutOfWork {
  const its = nodes.filter(({ pool }) => pool === name)
  const busy = (phase: Phase) => phase === 'degraded' || UNDER_WAY.includes(phase)
  const out = its.filter(({ phase, unavailable }) => unavailable && !busy(phase))
  const all = its.length === counts.machines
  return {
    names: out.map((node) => node.name).sort(),
    through: all && its.every(({ phase }) => phase === 'updated'),
    underWay: its.filter(({ phase }) => busy(phase)).length,
    image:
      all &&
      image !== undefined &&
      its.every((node) => node.currentConfig === desiredConfig) &&
      its.some(({ currentImage }) => currentImage !== image),
  }
}

function poolRow(
  object: KubeObject,
  pool: Pool,
  [begun, out]: [Begun, OutOfWork],
  { clusterVersion, releases }: PoolObjects,
  known: Since,
) {
  const { wanted, updating: clusterUpdating } = readWanted(clusterVersion)
  const release = (config: string | null) => (config === null ? null : (releases.get(config) ?? null))
  const desired = release(pool.desiredConfig)
  const { state, sentence, severity } = poolState(pool, { wanted, desired, clusterUpdating }, begun, out)
  const { machines, ready, unavailable, degraded } = pool.counts
  const since = earliestPause(object, known)
  const expiry = firstToExpire(pool.certificates)?.expiry
  return {
    id: object.metadata.uid,
    name: pool.name,
    paused: pool.paused,
    pausedSince: since === null ? null : new Date(since),
    maxUnavailable: pool.maxUnavailable === null ? null : String(pool.maxUnavailable),
    atOnce: atOnce(pool, machines),
    ...{ machines, ready, unavailable, degraded, updated: updatedNow(pool, { wanted, desired, clusterUpdating }) },
    currentConfig: pool.currentConfig,
    desiredConfig: pool.desiredConfig,
    currentRelease: release(pool.currentConfig),
    desiredRelease: desired,
    wantedRelease: wanted,
    clusterUpdating,
    ...{ state, sentence, severity },
    required: pool.required,
    pending: pool.pending,
    certificates: pool.certificates,
    certExpiry: expiry === undefined ? null : new Date(expiry),
    conditions: pool.conditions,
    imageMode: object.built === undefined ? 'unknown' : object.built ? 'built' : 'none',
    builtImage: pool.image ?? null,
    pausedBy: pool.paused ? writtenBy(object, ['spec', 'paused']) : null,
    resourceVersion: object.metadata.resourceVersion,
    generation: object.metadata.generation ?? 0,
  }
}

function nodeRow(
  object: KubeObject,
  pool: NodesPool,
  { steps: all, releases, clusterVersion }: PoolObjects,
  since: Since,
  now: number,
) {
  const node = readConfigNode(object, pool.name, all.get(object.metadata.name))
  const phase = phaseOf(node, pool)
  const moves = phase === 'degraded' || UNDER_WAY.includes(phase)
  const steps = moves ? stepsOf(node.steps) : null
  const step = currentStep(steps)
  const failed = since.get(object.metadata.uid)?.failed ?? null
  const drain = moves && (step === null || step.type === 'Drained') ? drainOf(node.steps, node.draining, failed) : null
  const began = sinceWhen(
    object.metadata.uid,
    { phase, desired: node.desiredConfig, step: step?.type ?? null, failed: drain?.words ?? null },
    since,
    now,
    // A drain that fails goes on while its node counts as degraded for it.
    () =>
      phase === 'degraded'
        ? ((drain?.failing ? drain.since : null) ?? timeOf(node.steps, 'NodeDegraded'))
        : (drain?.since ?? step?.since ?? null),
  )
  const { wanted, updating: clusterUpdating } = readWanted(clusterVersion)
  const desired = pool.desiredConfig === null ? null : (releases.get(pool.desiredConfig) ?? null)
  const stuck = stuckFrom(phase, step, drain, began)
  return {
    id: object.metadata.uid,
    pool: pool.name,
    name: node.name,
    zone: object.metadata.labels?.['topology.kubernetes.io/zone'] ?? null,
    joinedAt: madeAt(object),
    currentConfig: node.currentConfig,
    desiredConfig: node.desiredConfig,
    ...{ currentImage: node.currentImage, desiredImage: node.desiredImage },
    release: node.currentConfig === null ? null : (releases.get(node.currentConfig) ?? null),
    phase,
    step: step?.type ?? null,
    since: began === null ? null : new Date(began),
    stuckFrom: stuck === null ? null : new Date(stuck),
    ...nodeWords(node, phase, step, drain, { wanted, desired, clusterUpdating }),
    steps,
    drain,
    unavailable: isUnavailable(node),
  }
}

function madeAt({ metadata }: KubeObject): Date | null {
  const at = Date.parse(metadata.creationTimestamp)
  return Number.isFinite(at) ? new Date(at) : null
}

/**
 * As long as it stays paused, what is known of when it was paused does not get younger. Who paused it owns that field: where that is
 * somebody else than before, it was resumed in between, if only for a moment that nobody saw.
 */
function earliestPause(object: KubeObject, known: Since): number | null {
  const { uid } = object.metadata
  const before = known.get(uid)
  const owners = pauseOwners(object)
  const unknown = owners.length === 0 || before?.key === PAUSED
  const same = unknown || owners.some((owner) => before?.key.split(' ').includes(owner))
  const times = [same ? before?.since : undefined, Date.parse(pausedSince(object) ?? '')].filter(
    (time) => time !== undefined && Number.isFinite(time),
  ) as number[]
  if (!isPaused(object) || times.length === 0) {
    known.delete(uid)
    return null
  }
  const since = Math.min(...times)
  known.set(uid, { key: [PAUSED, ...owners].join(' '), since })
  return since
}
export const PAUSED = 'paused'

const timeOf = (conditions: readonly Condition[] | null, type: string): string | null => {
  const found = conditionOf(conditions ?? [], type)
  return found?.status === 'True' ? (found.lastTransitionTime ?? null) : null
}

interface Place {
  phase: Phase
  desired: string | null
  step: string | null
}

/** The earliest that is known of: what the object says, or when it was first found there. Null: it is not under way. */
function sinceWhen(
  uid: string,
  place: Place & { failed: string | null },
  known: Since,
  now: number,
  told: () => string | null,
): number | null {
  if (place.phase !== 'degraded' && !UNDER_WAY.includes(place.phase)) {
    known.delete(uid)
    return null
  }
  const key = sinceKey(place)
  const before = known.get(uid)
  const said = Date.parse(told() ?? '')
  const times = [before?.key === key ? before.since : now, said].filter((time) => Number.isFinite(time))
  const since = Math.min(...times)
  known.set(uid, { key, since, failed: place.failed })
  return since
}

export const sinceKey = ({ phase, desired, step }: Place): string =>
  `${phase === 'degraded' ? phase : 'moves'}/${desired}/${step}`
