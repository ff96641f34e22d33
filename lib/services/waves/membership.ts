import type { Tx } from '@/lib/db/client'
import { POOL } from '@/lib/domain/latch/hold'
import { GOVERNED_KINDS } from '@/lib/domain/latch/table'
import type { PolicyGroup, Selection, Wave } from '@/lib/domain/policies'
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

/** `asksNobody`: its policies ask for no approval. `unknown`: what holds for it cannot be told now, and it is where it was placed. */
export type WavesGroup = WavedGroup & { wave: number; asksNobody?: true; unknown?: true }

/** The groups of a policy that has waves, each in its wave. */
export interface Waved {
  policy: { id: string; name: string; version: number }
  /** Which groups the policy is for, as it is written. */
  select: Selection
  /** With the one for the rest. */
  waves: readonly Wave[]
  /** Of each wave, what words about it are bound to. */
  bounds: string[]
  groups: WavesGroup[]
}

export interface Membership {
  waved: Waved[]
  /** All groups of which it is known whether any waves hold for them, by their ids. */
  known: Set<string>
  /** Those of which it is not: their labels were not read yet. As policies see them otherwise. */
  unknown: (WavedGroup & { group: Omit<PolicyGroup, 'labels'> })[]
  /** Policies that have waves, also those that hold for no group now, and which groups each is for. */
  placing: ReadonlyMap<string, Selection>
}

const KEPT_MS = 10_000
let kept: { at: number; key: string; found: Promise<Membership> } | null = null

/**
 * The same, kept for seconds while no policy is written: the worker asks every two, of tens of thousands of groups. A group
 * that came since is in no wave yet, and waits. All that ask meanwhile get one answer. Not within a transaction: others wait for it.
 */
export async function keptMembership(tx: Tx): Promise<Membership> {
  const policies = await tx.rolloutPolicy.findMany({ select: { id: true, version: true }, orderBy: { id: 'asc' } })
  const key = JSON.stringify(policies)
  if (kept?.key === key && Date.now() - kept.at < KEPT_MS) return kept.found
  const asked = { at: Date.now(), key, found: membership(tx) }
  kept = asked
  try {
    return await asked.found
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

/** Every policy whose waves hold for some group, with those groups; and of which groups that cannot be told. */
export async function membership(tx: Tx): Promise<Membership> {
  // A pool that nothing holds asks nobody, and goes as it likes; other groups the gate may hold, also where nobody governs them.
  const free = { kind: POOL, governed: false, held: null, id: { notIn: await poolsLetGo(tx) } }
  const freePools = await tx.group.findMany({ where: free, select: { id: true } })
  const rows = await tx.group.findMany({
    where: { kind: { in: [...GOVERNED_KINDS] }, NOT: free },
    select: {
      ...{ id: true, clusterId: true, kind: true, namespace: true, name: true },
      workloadCluster: true,
    },
  })
  const governed = rows.map(({ kind, name: groupName, ...row }) => ({ ...row, groupKind: kind, groupName }))
  const [rules, known] = [await rulesForAll(tx, governed), await identities(tx, governed)]
  const policies = new Map((await readPolicies(tx)).map(({ id, spec }) => [id, spec]))
  const placing = [...policies].filter(([, { waves }]) => waves !== undefined && waves !== 'none' && waves.length > 0)
  const found = new Map<string, Pick<Waved, 'policy' | 'waves'> & { at: number[] }>()
  const [sure, unknown] = [new Set(freePools.map(({ id }) => id)), [] as Membership['unknown']]
  const asksNobody = new Set<number>()
  const groupOf = (i: number): WavedGroup => {
    const { id, clusterId, workloadCluster, name } = rows[i]!
    return { id, clusterId, name: `${known[i]!.cluster}/${workloadCluster}/${name}` }
  }
  for (const [i, held] of rules.entries()) {
    if (held instanceof ServiceError) {
      unknown.push({ ...groupOf(i), group: known[i]! })
      continue
    }
    sure.add(rows[i]!.id)
    if (held.approvals.value === 0) asksNobody.add(i)
    if (!held.waves?.policy) continue
    const { policy, value } = held.waves
    const of = found.get(policy.id) ?? { policy, waves: withRest(value), at: [] }
    of.at.push(i)
    found.set(policy.id, of)
  }
  const waved = [...found.values()].map(({ policy, waves, at }) => {
    const groups = at.map((i) => ({ ...known[i]!, labels: known[i]!.labels ?? {}, id: rows[i]!.id }))
    const wave = membersOf(waves, groups)
    const { select = {} } = policies.get(policy.id) ?? {}
    return {
      ...{ policy, select, waves },
      bounds: waves.map((_, i) => boundOf(select, waves, i)),
      groups: at.map((i) => ({
        ...groupOf(i),
        wave: wave.get(rows[i]!.id)!,
        ...(asksNobody.has(i) ? { asksNobody: true as const } : {}),
      })),
    }
  })
  return { waved, known: sure, unknown, placing: new Map(placing.map(([id, { select }]) => [id, select])) }
}
