import type { SetMachine } from '../machine-set'
import { numberOf } from '../priority'
import type { PlanMode, RolloutStrategy, SetState } from '../types'

/** A Machine that a simulation moves. */
export interface SimulatedMachine extends SetMachine {
  /** Became available once; in the harness all of them are from the start. */
  started: boolean
}

export interface SimulatedSet extends SetState {
  /** Its template is the one that the deployment wants. */
  wanted: boolean
  machines: SimulatedMachine[]
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
}

export const allMachines = (simulation: Simulation) => simulation.sets.flatMap((set) => set.machines)

export const sumOf = (sets: readonly SimulatedSet[], of: (set: SimulatedSet) => number) =>
  sets.reduce((sum, set) => sum + of(set), 0)

export const byNumber = (machines: SimulatedMachine[]) => machines.sort((a, b) => numberOf(a.name) - numberOf(b.name))

/** The set of the wanted template: most replicas, then oldest, then name (mdutil.FindNewAndOldMachineSets). */
export function currentOf(simulation: Simulation): SimulatedSet | undefined {
  return simulation.sets
    .filter((set) => set.wanted)
    .sort((a, b) => b.spec - a.spec || a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1))[0]
}

/** All machines are in the current set, and every counter says so. */
export function isOver(simulation: Simulation): boolean {
  const current = currentOf(simulation)
  const { replicas, status, available } = simulation.deployment
  const has = (set: SimulatedSet, n: number) =>
    [set.spec, set.status, set.available, set.machines.length].every((x) => x === n)
  return (
    current !== undefined &&
    status === replicas &&
    available === replicas &&
    simulation.sets.every((set) => has(set, set === current ? replicas : 0))
  )
}
