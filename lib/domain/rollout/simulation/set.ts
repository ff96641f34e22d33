import { excess, planSet, type SetGoal } from '../machine-set'
import type { DeletionOrder } from '../types'
import type { SimulatedSet, Simulation } from './state'

export interface SetPass {
  /** Machines whose update in place ended (harness: noticed by the set's controller). */
  completed: string[]
  /** Moved here, and not counted yet by the deployment. */
  waiting: string[]
  /** What the set did about its number of machines; several machines or, where none could go, none. */
  did?: { what: 'created' | 'deleted'; machines: string[] } | { what: 'moved'; machines: string[]; to: string }
}

/** One pass of the MachineSet controller over machines that exist. */
export function reconcileSet(
  simulation: Simulation,
  set: SimulatedSet,
  { order = 'Random', now = 0 }: { order?: DeletionOrder; now?: number } = {},
): SetPass {
  const { mode } = simulation
  const completed = mode === 'harness' ? completeUpdates(set) : []
  takeOver(set)
  const goal: SetGoal = {
    replicas: set.spec,
    moveTo: set.moveTo,
    receives: receives(set),
    disableMachineCreate: set.disableMachineCreate,
    order,
  }
  const tooMany = excess(goal, set.machines)
  const step = planSet(goal, set.machines, now, mode)
  const pass: SetPass = { completed, waiting: tooMany?.notCounted ?? [] }
  if (step.create > 0) pass.did = { what: 'created', machines: create(simulation, set, step.create) }
  // Upstream tries, and says so, also where no machine can go (yet).
  if (tooMany && tooMany.surplus !== 0) {
    remove(simulation, set, step.delete)
    if (set.moveTo !== undefined)
      pass.did = { what: 'moved', machines: move(simulation, set, step.move), to: set.moveTo }
    else pass.did = { what: 'deleted', machines: step.delete }
  }
  updateStatus(set)
  return pass
}

const receives = (set: SimulatedSet) => (set.receiveFrom?.length ?? 0) > 0

function completeUpdates(set: SimulatedSet): string[] {
  const done = [...set.machines].filter((m) => m.updating && !m.pendingMove).map((m) => m.name)
  for (const name of done) set.machines.change(name, { updating: false })
  return done
}

/** A machine that was moved here is the set's own once it is counted, or once the set takes no more. */
function takeOver(set: SimulatedSet) {
  if (set.machines.pending.size === 0) return
  const acknowledged = new Set(set.acknowledged)
  for (const name of [...set.machines.pending])
    if (!receives(set) || acknowledged.has(name)) set.machines.change(name, { pendingMove: false })
}

function create(simulation: Simulation, set: SimulatedSet, count: number): string[] {
  const started = simulation.mode === 'harness'
  return Array.from({ length: count }, () => {
    const name = `m${++simulation.lastNumber}`
    set.machines.add({ name, createdAt: 0, hasNode: started, started })
    return name
  })
}

function move(simulation: Simulation, set: SimulatedSet, names: string[]): string[] {
  const target = simulation.sets.find((other) => other.name === set.moveTo)
  if (!target?.receiveFrom?.includes(set.name)) {
    throw new Error(`MachineSet ${set.moveTo} does not accept Machines from ${set.name}`)
  }
  for (const name of names) target.machines.add({ ...set.machines.take(name), updating: true, pendingMove: true })
  return names
}

function remove(simulation: Simulation, set: SimulatedSet, names: string[]) {
  for (const name of names)
    if (simulation.mode === 'harness') set.machines.take(name)
    else set.machines.change(name, { deleting: true })
}

function updateStatus(set: SimulatedSet) {
  const { size, available } = set.machines
  set.status = size
  set.available = available
  set.upToDate = set.wanted ? available : 0
}
