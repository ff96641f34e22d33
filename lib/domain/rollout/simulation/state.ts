import { Pool } from './pool'
import type { PlanMode, RolloutStrategy, SetState } from '../types'

export interface SimulatedSet extends SetState {
  /** Its template is the one that the deployment wants. */
  wanted: boolean
  /** Replaced whatever an updater says (rollout.after). */
  certainReplace?: boolean
  machines: Pool
}

/** A MachineDeployment with all it owns. The steps in this folder change it; who wants the old one copies it before. */
export interface Simulation {
  mode: PlanMode
  strategy: RolloutStrategy
  /** The feature gate InPlaceUpdates. */
  inPlaceUpdates: boolean
  /** Old MachineSets for which the updater says that it can. */
  canUpdate: ReadonlySet<string>
  deployment: { name: string; replicas: number; status: number; available: number; upToDate: number }
  sets: SimulatedSet[]
  /** The number of the machine that was made last. */
  lastNumber: number
  /** The number of the MachineSet that was made last, where some are gone since. */
  lastSet?: number
}

export const sumOf = (sets: readonly SimulatedSet[], of: (set: SimulatedSet) => number) =>
  sets.reduce((sum, set) => sum + of(set), 0)

/** The set of the wanted template: most replicas, then oldest, then name (mdutil.FindNewAndOldMachineSets). */
export function currentOf({ sets }: Simulation): SimulatedSet | undefined {
  let current: SimulatedSet | undefined
  for (const set of sets) if (set.wanted && (!current || isBefore(set, current))) current = set
  return current
}

const isBefore = (a: SimulatedSet, b: SimulatedSet) =>
  (b.spec - a.spec || a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1)) < 0

/** All machines are in the current set, and every counter says so. */
export function isOver(simulation: Simulation): boolean {
  const { replicas, status, available } = simulation.deployment
  if (status !== replicas || available !== replicas) return false
  const current = currentOf(simulation)
  return current !== undefined && simulation.sets.every((set) => isAt(set, set === current ? replicas : 0))
}

const isAt = ({ spec, status, available, machines }: SimulatedSet, n: number) =>
  spec === n && status === n && available === n && machines.size === n

/** To be played by itself. */
export const copyOf = (simulation: Simulation): Simulation => ({
  ...simulation,
  deployment: { ...simulation.deployment },
  sets: simulation.sets.map((set) => ({
    ...set,
    machines: new Pool(
      set.machines.mode,
      Array.from(set.machines, (m) => ({ ...m })),
    ),
  })),
})
