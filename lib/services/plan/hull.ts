import { runningOnly } from '@/lib/domain/changes/behind'
import { machineKinds, machinesOfGroup, type GroupKey } from '@/lib/db/queries/group-machines'
import { markOf, mergeCounts, withMissing, type HullData } from '@/lib/domain/hull'
import type { Verdict, VerdictCounts } from '@/lib/domain/verdict'
import { PAGE_CELLS } from '../groups/change-hulls'
import type { PlanMachine } from './types'

type Told = { verdict: Verdict; reason: string }

/** A plan may be about many groups: of each, as many as its hull draws one by one. */
const MOST = PAGE_CELLS
const EMPTY: HullData = { total: 0, cells: null, counts: [] }

export interface Shown {
  hull: HullData
  machinesList: PlanMachine[]
  /** Of the machines that are there. */
  counts: VerdictCounts
}

/** The group's machines that exist, each with what the plan would do to it. `told`: by revision; null: it is up to date. */
export async function shownMachines(group: GroupKey, told: (source: string) => Told | null): Promise<Shown> {
  const kinds = await machineKinds(group)
  const total = kinds.reduce((sum, { count }) => sum + count, 0)
  const verdictOf = (source: string): Verdict => told(source)?.verdict ?? 'up-to-date'
  const counts: VerdictCounts = {}
  for (const { source, count } of kinds) counts[verdictOf(source)] = (counts[verdictOf(source)] ?? 0) + count
  const machines = total > 0 ? await machinesOfGroup(group, MOST) : []
  const marked = kinds.map(({ source, state, error, count }) => ({
    ...markOf({ state, error, verdict: verdictOf(source) }),
    count,
  }))
  const cells = machines.map(({ id, name, source, state, error }) => {
    const note = error ?? told(source)?.reason
    return {
      id,
      name,
      ...markOf({ state, error: error !== null, verdict: verdictOf(source) }),
      ...(note ? { note } : {}),
    }
  })
  return {
    hull: { total, cells: total <= PAGE_CELLS ? cells : null, counts: mergeCounts(marked) },
    machinesList: machines.map(({ id, name, source, node, version, state, sentence }) => ({
      ...{ id, name, node, version, state, progress: null },
      sentence: sentence !== null && verdictOf(source) === 'up-to-date' ? runningOnly(sentence) : sentence,
      ...{ verdict: verdictOf(source), verdictReason: told(source)?.reason ?? null },
    })),
    counts,
  }
}

export const withNew = (hull: HullData | null, more: number, note: string): HullData =>
  withMissing(hull ?? EMPTY, more, PAGE_CELLS, note)
