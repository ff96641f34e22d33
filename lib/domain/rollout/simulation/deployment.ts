import { fenceposts } from '../fenceposts'
import { planRollout } from '../plan'
import type { OldSetState, RolloutPlan, RolloutState, SetPlan, SetState } from '../types'
import { Pool } from './pool'
import { currentOf, sumOf, type SimulatedSet, type Simulation } from './state'

export interface DeploymentPass {
  plan: RolloutPlan
  /** The sets as they were, by name; one that is missing was made in this pass. */
  before: Map<string, SetState>
  /** Fewer machines available than the strategy allows, more machines than it allows. */
  breaches: { unavailable: boolean; surge: boolean }
}

/** Named one by one: this runs tens of thousands of times in a large rollout. */
const factsOf = (set: SimulatedSet): OldSetState => ({
  name: set.name,
  createdAt: set.createdAt,
  spec: set.spec,
  status: set.status,
  available: set.available,
  upToDate: set.upToDate,
  moveTo: set.moveTo,
  receiveFrom: set.receiveFrom,
  acknowledged: set.acknowledged,
  revision: set.revision,
  disableMachineCreate: set.disableMachineCreate,
  eligible: !set.wanted && !set.certainReplace,
  discarded: set.wanted,
})

/** One pass of the MachineDeployment controller. */
export function stepDeployment(simulation: Simulation): RolloutPlan {
  const { sets, deployment, mode } = simulation
  const found = currentOf(simulation)
  const current = found ?? made(simulation)
  const state: RolloutState = {
    replicas: deployment.replicas,
    strategy: simulation.strategy,
    current: factsOf(current),
    creates: !found,
    olds: [],
    pendingMoves: [...current.machines.pending],
    updating: false,
    inPlaceUpdates: simulation.inPlaceUpdates,
  }
  for (const set of sets) {
    if (set !== current) state.olds.push(factsOf(set))
    if (set.machines.updating > 0) state.updating = true
  }
  if (!found) sets.push(current)
  const plan = planRollout(state, simulation.canUpdate, mode)
  for (const set of sets) follow(set, set === current ? plan.current : plan.olds.find((old) => old.name === set.name)!)
  deployment.status = sumOf(sets, (set) => set.status)
  deployment.available = sumOf(sets, (set) => set.available)
  // Upstream's OnDelete tests never count these.
  if (mode === 'production' || simulation.strategy.type === 'RollingUpdate') {
    deployment.upToDate = sumOf(sets, (set) => set.upToDate)
  }
  return plan
}

/** The same, with what is said about a pass in a log. */
export function reconcileDeployment(simulation: Simulation): DeploymentPass {
  const before = new Map(simulation.sets.map((set) => [set.name, factsOf(set)]))
  const plan = stepDeployment(simulation)
  return { plan, before, breaches: breachesOf(simulation) }
}

function made({ sets, mode, lastSet = sets.length }: Simulation): SimulatedSet {
  return {
    name: `ms${lastSet + 1}`,
    createdAt: mode === 'harness' ? 0 : Math.max(0, ...sets.map((set) => set.createdAt)) + 1,
    spec: 0,
    status: 0,
    available: 0,
    upToDate: 0,
    wanted: true,
    machines: new Pool(mode),
  }
}

function follow(set: SimulatedSet, plan: SetPlan) {
  set.spec = plan.replicas
  set.moveTo = plan.moveTo
  set.receiveFrom = plan.receiveFrom
  set.acknowledged = plan.acknowledged
  set.disableMachineCreate = plan.disableMachineCreate
  set.revision = plan.revision
}

function breachesOf({ sets, strategy, deployment }: Simulation) {
  if (strategy.type === 'OnDelete') return { unavailable: false, surge: false }
  const { surge, unavailable } = fenceposts(strategy, deployment.replicas)
  return {
    unavailable: deployment.available < deployment.replicas - unavailable,
    surge: sumOf(sets, (set) => Math.max(set.spec, set.status)) > deployment.replicas + surge,
  }
}
