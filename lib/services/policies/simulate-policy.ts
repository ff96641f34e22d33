import { db } from '@/lib/db/client'
import type { Json } from '@/lib/domain/json'
import type { ChangeSet } from '@/lib/domain/changes'
import { POOL } from '@/lib/domain/latch/hold'
import { effective, shapeWanted, type Policy, type Resolved } from '@/lib/domain/policies'
import { parseInput, requirePermission, type Ctx } from '../context'
import { planOf, type Plan } from '../forecast/plan'
import { groupsTouched, type Touched } from './previewed-groups'
import { readPolicies } from './read-policies'
import { SimulatePolicyInput } from './schemas'

export interface SimulatedGroup {
  id: string
  name: string
  cluster: string
  workloadCluster: string
  machines: number
}

/** What the next rollout of one of its groups would look like: as if all of its machines wanted another version now. */
export interface SimulatedPolicy {
  group: SimulatedGroup
  /** Those that can be chosen instead, by size; at most MOST. */
  others: SimulatedGroup[]
  /** How many of its groups cannot be chosen: beyond those, too large, or that could not go. */
  left: number
  /** Ways that it allows; in place as if updaters covered all of it. */
  ways: Pick<
    Plan,
    | 'way'
    | 'updated'
    | 'created'
    | 'deleted'
    | 'lowest'
    | 'floor'
    | 'most'
    | 'start'
    | 'frames'
    | 'estimate'
    | 'stalled'
    | 'basis'
  >[]
}

const MOST = 20
/** More would take longer than somebody types. */
const MOST_MACHINES = 500
const DRAFT = '00000000-0000-4000-8000-000000000000'

/**
 * Plays the next rollout forward under a policy that is being written. `pools`: it is for nothing else, and no rule
 * says how their nodes are taken: what a configuration does is played forward on the page of its change. Null: it is for no group with machines.
 */
export async function simulatePolicy(ctx: Ctx, input: unknown): Promise<SimulatedPolicy | 'pools' | null> {
  requirePermission(ctx, 'fleet:read')
  const { policyId, name, spec, groupId } = parseInput(SimulatePolicyInput, input)
  const before = await readPolicies(db(), policyId ? [policyId] : [])
  const draft: Policy = { id: policyId ?? DRAFT, name: name || 'without a name', version: 0, spec }
  const touched = await groupsTouched(db(), before, [draft])
  const fitting = touched.filter(({ by, shown }) => by.has(draft.id) && shown.machines > 0)
  const played = fitting.filter(({ shown: { kind } }) => kind !== POOL)
  const able = played
    .filter(({ shown: { machines, neither } }) => machines <= MOST_MACHINES && !neither)
    .sort((a, b) => b.shown.machines - a.shown.machines)
  const one = able.find(({ shown }) => shown.id === groupId) ?? able[0]
  if (!one) return fitting.length > 0 && played.length === 0 ? 'pools' : null
  const ways = await Promise.all(waysOf(one.shown.then).map((way) => play(one, way)))
  return {
    group: shortOf(one),
    others: able.slice(0, MOST).map(shortOf),
    left: played.length - Math.min(able.length, MOST),
    ways: ways.flatMap((plan) => plan ?? []),
  }
}

const shortOf = ({ shown: { id, name, cluster, workloadCluster, machines } }: Touched): SimulatedGroup => ({
  ...{ id, name, cluster, workloadCluster, machines },
})

const waysOf = ({ strategy }: Resolved): Plan['way'][] =>
  strategy.value === 'replace'
    ? ['replace']
    : strategy.value === 'in-place-only'
      ? ['in-place']
      : ['in-place', 'replace']

async function play({ shown }: Touched, way: Plan['way']): Promise<SimulatedPolicy['ways'][number] | null> {
  const group = await db().group.findUnique({ where: { id: shown.id } })
  if (!group) return null
  const { clusterId, namespace, kind: groupKind, name: groupName, strategy } = group
  const where = { clusterId, groupKind, namespace, groupName }
  const machines = await db().machine.findMany({ where, select: { name: true, machineSet: true, createdAt: true } })
  const rolled = { kind: groupKind, strategy: strategy ?? 'RollingUpdate' }
  const { maxSurge, maxUnavailable, deletionOrder } = shapeWanted(effective(shown.then, rolled).rules, rolled)
  const wanted = {
    ...group,
    maxSurge: maxSurge ?? group.maxSurge,
    maxUnavailable: maxUnavailable ?? group.maxUnavailable,
    deletionOrder: deletionOrder ?? group.deletionOrder,
  }
  const change = {
    ...{ clusterId, groupId: group.id, groupKind, groupName, namespace, toVersion: 'another' },
    changeSet: stored(another(groupKind === 'KubeadmControlPlane', machines)),
    // As if it could be done in place.
    outlook: stored({ inPlace: {} }),
  }
  const planned = await planOf(change, way, { wanted })
  if (!planned) return null
  const { updated, created, deleted, lowest, floor, most, start, frames, estimate, stalled, basis } = planned.plan
  return {
    ...{ way, updated, created, deleted, lowest, floor, most, start, basis },
    ...(stalled ? { stalled } : {}),
    // What comes in between is not shown.
    frames: frames.filter((_, i) => i === 0 || i === frames.length - 1),
    estimate: estimate && { p50: estimate.p50, p90: estimate.p90 },
  }
}

const stored = (value: unknown): Json => value as Json

type Row = { name: string; machineSet: string | null; createdAt: Date }
/** Every revision that is there is an old one. */
function another(isPlane: boolean, machines: readonly Row[]): ChangeSet {
  const from = new Map<string, Row[]>()
  for (const row of machines) {
    const key = isPlane ? row.name : (row.machineSet ?? '')
    from.set(key, [...(from.get(key) ?? []), row])
  }
  const changes = [{ object: 'machine' as const, path: 'version', desired: 'another' }]
  const pairs = [...from].map(([name, rows]) => ({
    ...{ from: name, machines: rows.length, fingerprint: name, changes },
    createdAt: new Date(Math.min(...rows.map(({ createdAt }) => createdAt.getTime()))).toISOString(),
  }))
  return { pairs, fields: changes }
}
