import { planRollout, type RolloutState, type SetState } from '../rollout'
import type { RevisionPair } from './types'
import { needsSpare, type Tallied } from './tally'

export interface Spared extends Pick<Tallied, 'group' | 'strategy' | 'upToDate'> {
  pairs: readonly RevisionPair[]
  /** Machines of the wanted revision, and of each other one by its name, that are not available, and not being updated. */
  away: { current: number; olds: ReadonlyMap<string, number> }
  /** Machines that are being updated in place now. */
  updating: number
}

/**
 * How many spares Cluster API brings where everything may go in place, and so how many machines are deleted for them: also where the
 * strategy lets machines be missing, and those that are not available are as many already. Then none can move before a spare is there.
 * As its planner does it, pass by pass, until something moves (machinedeployment_rollout_planner.go, createAvailability).
 */
export function sparesFor(of: Spared): number {
  const { group, strategy, pairs, away, updating } = of
  const gone = away.current + [...away.olds.values()].reduce((sum, n) => sum + n, 0)
  if (group.kind !== 'MachineDeployment' || strategy.type === 'OnDelete' || gone === 0) return needsSpare(of) ? 1 : 0
  const able = new Set(pairs.flatMap(({ from, certainReplace }) => (certainReplace ? [] : [from])))
  const olds = pairs.map(({ from, machines, createdAt, certainReplace }) => ({
    ...set(from, machines, away.olds.get(from) ?? 0, createdAt ? Date.parse(createdAt) : 0),
    eligible: !certainReplace,
  }))
  const there = olds.reduce((sum, { spec }) => sum + spec, of.upToDate)
  // What is missing is made besides, and is no spare.
  const missing = Math.max(0, group.replicas - there)
  for (let spares = 0; ; spares++) {
    const mine = of.upToDate + missing + spares
    const current = { ...set('', mine, away.current, Infinity), upToDate: mine }
    const state: RolloutState = {
      ...{ replicas: group.replicas, strategy, current, olds, pendingMoves: [] },
      ...{ updating: updating > 0, inPlaceUpdates: true },
    }
    const { current: next } = planRollout(state, able)
    // Counted above what is wanted, also where there are more already: held in the middle, it has its spares.
    if (next.replicas <= next.from || spares > group.replicas)
      return spares === 0 ? 0 : spares + Math.max(0, there - group.replicas)
  }
}

const set = (name: string, machines: number, away: number, createdAt: number): SetState => ({
  ...{ name, createdAt, spec: machines, status: machines },
  ...{ available: Math.max(0, machines - away), upToDate: 0 },
})
