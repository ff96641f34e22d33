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
export function reconcileDeployment(simulation: Simulation): DeploymentPass {
  const { sets, deployment, mode } = simulation
  const found = currentOf(simulation)
  const current = found ?? made(simulation)
  const facts = sets.map(factsOf)
  const before = new Map(facts.map((set) => [set.name, set]))
  const state: RolloutState = {
    replicas: deployment.replicas,
    strategy: simulation.strategy,
    current: before.get(current.name) ?? factsOf(current),
    creates: !found,
    olds: facts.filter((set) => set.name !== current.name),
    pendingMoves: [...current.machines.pending],
    updating: sets.some((set) => set.machines.updating > 0),
    inPlaceUpdates: simulation.inPlaceUpdates,
  }
  if (!found) sets.push(current)
  const plan = planRollout(state, simulation.canUpdate, mode)
  const plans = new Map(plan.olds.map((old) => [old.name, old]))
  for (const set of sets) follow(set, set === current ? plan.current : plans.get(set.name)!)
  deployment.status = sumOf(sets, (set) => set.status)
  deployment.available = sumOf(sets, (set) => set.available)
  // Upstream's OnDelete tests never count these.
  if (mode === 'production' || simulation.strategy.type === 'RollingUpdate') {
    deployment.upToDate = sumOf(sets, (set) => set.upToDate)
  }
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
