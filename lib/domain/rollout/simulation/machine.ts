import type { SimulatedSet, Simulation } from './state'

/** Somebody deletes a machine; it is gone when its controller let go of it. False where there is none. */
export function deleteMachine(simulation: Simulation, name: string): boolean {
  const machine = simulation.sets.flatMap((set) => set.machines).find((m) => m.name === name)
  if (machine) machine.deleting = true
  return machine !== undefined
}

/** One pass of the Machine controller. Undefined where there is no such machine. */
export function reconcileMachine(simulation: Simulation, name: string): { gone: boolean } | undefined {
  const set = simulation.sets.find((one): one is SimulatedSet => one.machines.some((m) => m.name === name))
  const machine = set?.machines.find((m) => m.name === name)
  if (!set || !machine) return undefined
  if (machine.deleting) set.machines = set.machines.filter((m) => m !== machine)
  else if (simulation.mode === 'production') {
    if (!machine.started) Object.assign(machine, { started: true, hasNode: true })
    else if (machine.updating && !machine.pendingMove) machine.updating = false
  }
  return { gone: machine.deleting === true }
}
