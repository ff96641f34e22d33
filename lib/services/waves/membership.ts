import type { Tx } from '@/lib/db/client'
import { POOL } from '@/lib/domain/latch/hold'
import { GOVERNED_KINDS } from '@/lib/domain/latch/table'
import type { Selection, Wave } from '@/lib/domain/policies'
import { boundOf, membersOf, withRest } from '@/lib/domain/waves'
import { OPEN } from '../changes/states'
import { ServiceError } from '../errors'
import { readPolicies } from '../policies/read-policies'
import { identities, rulesForAll } from '../policies/rules-for'

export interface WavedGroup {
  id: string
  clusterId: string
  /** "atlas/payments-prod/workers-a" */
  name: string
}

/** The groups of a policy that has waves, each in its wave. */
export interface Waved {
  policy: { id: string; name: string; version: number }
  /** With the one for the rest. */
  waves: readonly Wave[]
  /** Of each wave, what words about it are bound to. */
  bounds: string[]
  groups: (WavedGroup & { wave: number })[]
}

const KEPT_MS = 10_000
let kept: { at: number; key: string; waved: Promise<Waved[]> } | null = null

/**
 * The same, kept for seconds while no policy is written: the worker asks every two, of tens of thousands of groups. A group
 * that came since is in no wave yet, and waits. All that ask meanwhile get one answer. Not within a transaction: others wait for it.
 */
export async function keptMembership(tx: Tx): Promise<Waved[]> {
  const policies = await tx.rolloutPolicy.findMany({ select: { id: true, version: true }, orderBy: { id: 'asc' } })
  const key = JSON.stringify(policies)
  if (kept?.key === key && Date.now() - kept.at < KEPT_MS) return kept.waved
  const asked = { at: Date.now(), key, waved: membership(tx) }
  kept = asked
  try {
    return await asked.waved
  } catch (error) {
    if (kept === asked) kept = null
    throw error
  }
}

/** What was let go here in its wave is of it to its end, whoever governs it by then. */
async function poolsLetGo(tx: Tx): Promise<string[]> {
  const letGo = { some: { mode: { not: 'reject' }, acceptedAt: { not: null } } }
  const changes = await tx.change.findMany({
    where: { groupKind: POOL, state: { in: OPEN }, decisions: letGo },
    select: { groupId: true },
  })
  return changes.map(({ groupId }) => groupId)
}

/** Every policy whose waves hold for some group, with those groups. What is not known of a group leaves it out: it waits. */
export async function membership(tx: Tx): Promise<Waved[]> {
  const going = await poolsLetGo(tx)
  const rows = await tx.group.findMany({
    // A pool that nothing holds asks nobody, and goes as it likes; other groups the gate may hold, also where nobody governs them.
    where: {
      kind: { in: [...GOVERNED_KINDS] },
      NOT: { kind: POOL, governed: false, held: null, id: { notIn: going } },
    },
    select: {
      ...{ id: true, clusterId: true, kind: true, namespace: true, name: true },
      workloadCluster: true,
    },
  })
  const governed = rows.map(({ kind, name: groupName, ...row }) => ({ ...row, groupKind: kind, groupName }))
  const [rules, known] = [await rulesForAll(tx, governed), await identities(tx, governed)]
  const found = new Map<string, Pick<Waved, 'policy' | 'waves'> & { at: number[] }>()
  for (const [i, held] of rules.entries()) {
    if (held instanceof ServiceError || !held.waves?.policy) continue
    const { policy, value } = held.waves
    const of = found.get(policy.id) ?? { policy, waves: withRest(value), at: [] }
    of.at.push(i)
    found.set(policy.id, of)
  }
  const selects = await selectsOf(tx, [...found.keys()])
  return [...found.values()].map(({ policy, waves, at }) => {
    const groups = at.map((i) => ({ ...known[i]!, labels: known[i]!.labels ?? {}, id: rows[i]!.id }))
    const wave = membersOf(waves, groups)
    return {
      ...{ policy, waves },
      bounds: waves.map((_, i) => boundOf(selects.get(policy.id) ?? {}, waves, i)),
      groups: at.map((i) => {
        const { id, clusterId, workloadCluster, name } = rows[i]!
        return { id, clusterId, name: `${known[i]!.cluster}/${workloadCluster}/${name}`, wave: wave.get(id)! }
      }),
    }
  })
}

/** Which groups each of these policies is for, as it is written. */
async function selectsOf(tx: Tx, ids: readonly string[]): Promise<Map<string, Selection>> {
  const policies = (await readPolicies(tx)).filter(({ id }) => ids.includes(id))
  return new Map(policies.map(({ id, spec }) => [id, spec.select]))
}
