import type { Simulation } from './state'

const holderOf = ({ sets }: Simulation, name: string) => sets.find((set) => set.machines.get(name))?.machines

/** Somebody deletes a machine; it is gone when its controller let go of it. False where there is none. */
export function deleteMachine(simulation: Simulation, name: string): boolean {
  const machines = holderOf(simulation, name)
  machines?.change(name, { deleting: true })
  return machines !== undefined
}

/** One pass of the Machine controller. Undefined where there is no such machine. */
export function reconcileMachine(simulation: Simulation, name: string): { gone: boolean } | undefined {
  const machines = holderOf(simulation, name)
  const machine = machines?.get(name)
  if (!machines || !machine) return undefined
  if (machine.deleting) machines.take(name)
  else if (simulation.mode === 'production') {
    if (!machine.started) machines.change(name, { started: true, hasNode: true })
    else if (machine.updating && !machine.pendingMove) machines.change(name, { updating: false })
  }
  return { gone: machine.deleting === true }
}
