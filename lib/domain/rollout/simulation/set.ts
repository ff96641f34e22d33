import { excess, planSet, type SetGoal } from '../machine-set'
import type { DeletionOrder } from '../types'
import { byNumber, type SimulatedMachine, type SimulatedSet, type Simulation } from './state'

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
  updateStatus(simulation, set)
  return pass
}

const receives = (set: SimulatedSet) => (set.receiveFrom?.length ?? 0) > 0

function completeUpdates(set: SimulatedSet): string[] {
  const done = set.machines.filter((m) => m.updating && !m.pendingMove)
  for (const machine of done) machine.updating = false
  return done.map((m) => m.name)
}

/** A machine that was moved here is the set's own once it is counted, or once the set takes no more. */
function takeOver(set: SimulatedSet) {
  for (const machine of set.machines) {
    if (!receives(set) || set.acknowledged?.includes(machine.name)) machine.pendingMove = false
  }
}

function create(simulation: Simulation, set: SimulatedSet, count: number): string[] {
  const made = Array.from({ length: count }, (): SimulatedMachine => {
    const started = simulation.mode === 'harness'
    return { name: `m${++simulation.lastNumber}`, createdAt: 0, hasNode: started, started }
  })
  set.machines.push(...made)
  byNumber(set.machines)
  return made.map((m) => m.name)
}

function move(simulation: Simulation, set: SimulatedSet, names: string[]): string[] {
  const target = simulation.sets.find((other) => other.name === set.moveTo)
  if (!target?.receiveFrom?.includes(set.name)) {
    throw new Error(`MachineSet ${set.moveTo} does not accept Machines from ${set.name}`)
  }
  const going = new Set(names)
  for (const machine of set.machines) {
    if (!going.has(machine.name)) continue
    target.machines.push(Object.assign(machine, { updating: true, pendingMove: true }))
  }
  set.machines = byNumber(set.machines.filter((m) => !going.has(m.name)))
  byNumber(target.machines)
  return names
}

function remove(simulation: Simulation, set: SimulatedSet, names: string[]) {
  const going = new Set(names)
  if (simulation.mode === 'harness') set.machines = byNumber(set.machines.filter((m) => !going.has(m.name)))
  else for (const machine of set.machines) if (going.has(machine.name)) machine.deleting = true
}

function updateStatus(simulation: Simulation, set: SimulatedSet) {
  const harness = simulation.mode === 'harness'
  const available = set.machines.filter((m) => !m.updating && (harness || (m.started && !m.deleting && !m.unhealthy)))
  set.status = set.machines.length
  set.available = available.length
  set.upToDate = set.wanted ? available.length : 0
}
