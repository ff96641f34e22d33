import { fenceposts } from '../fenceposts'
import { planRollout } from '../plan'
import type { RolloutPlan, RolloutState, SetState } from '../types'
import { allMachines, currentOf, sumOf, type SimulatedSet, type Simulation } from './state'

export interface DeploymentPass {
  plan: RolloutPlan
  /** The sets as they were, by name; one that is missing was made in this pass. */
  before: Map<string, SetState>
  /** Fewer machines available than the strategy allows, more machines than it allows. */
  breaches: { unavailable: boolean; surge: boolean }
}

function factsOf(set: SimulatedSet): SetState {
  const { machines: _machines, wanted: _wanted, ...facts } = set
  return facts
}

/** One pass of the MachineDeployment controller. */
export function reconcileDeployment(simulation: Simulation): DeploymentPass {
  const { sets, deployment, mode } = simulation
  const before = new Map(sets.map((set) => [set.name, factsOf(set)]))
  const found = currentOf(simulation)
  const current = found ?? made(simulation)
  if (!found) sets.push(current)
  const state: RolloutState = {
    replicas: deployment.replicas,
    strategy: simulation.strategy,
    current: factsOf(current),
    creates: !found,
    olds: sets
      .filter((set) => set !== current)
      .map((set) => ({ ...factsOf(set), eligible: !set.wanted, discarded: set.wanted })),
    pendingMoves: current.machines.filter((m) => m.pendingMove).map((m) => m.name),
    updating: allMachines(simulation).some((m) => m.updating),
    inPlaceUpdates: simulation.inPlaceUpdates,
  }
  const plan = planRollout(state, simulation.canUpdate, mode)
  for (const { name, replicas, moveTo, receiveFrom, acknowledged, disableMachineCreate, revision } of [
    plan.current,
    ...plan.olds,
  ]) {
    const set = sets.find((one) => one.name === name) as SimulatedSet
    Object.assign(set, { spec: replicas, moveTo, receiveFrom, acknowledged, disableMachineCreate, revision })
  }
  deployment.status = sumOf(sets, (set) => set.status)
  deployment.available = sumOf(sets, (set) => set.available)
  // Upstream's OnDelete tests never count these.
  if (mode === 'production' || simulation.strategy.type === 'RollingUpdate') {
    deployment.upToDate = sumOf(sets, (set) => set.upToDate)
  }
  return { plan, before, breaches: breachesOf(simulation) }
}

function made({ sets, mode }: Simulation): SimulatedSet {
  return {
    name: `ms${sets.length + 1}`,
    createdAt: mode === 'harness' ? 0 : Math.max(0, ...sets.map((set) => set.createdAt)) + 1,
    spec: 0,
    status: 0,
    available: 0,
    upToDate: 0,
    wanted: true,
    machines: [],
  }
}

function breachesOf({ sets, strategy, deployment }: Simulation) {
  if (strategy.type === 'OnDelete') return { unavailable: false, surge: false }
  const { surge, unavailable } = fenceposts(strategy, deployment.replicas)
  return {
    unavailable: deployment.available < deployment.replicas - unavailable,
    surge: sumOf(sets, (set) => Math.max(set.spec, set.status)) > deployment.replicas + surge,
  }
}
