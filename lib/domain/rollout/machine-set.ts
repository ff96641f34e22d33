import { inDeletionOrder, type Candidate } from './priority'
import type { DeletionOrder } from './types'

export interface SetMachine extends Candidate {
  hasNode: boolean
  /** Moved here, not yet acknowledged by the MachineDeployment. */
  pendingMove?: boolean
  /** Marked by a MachineHealthCheck: deleted instead of moved. */
  remediate?: boolean
}

export interface SetGoal {
  replicas: number
  moveTo?: string
  /** This set takes machines from others. */
  receives: boolean
  disableMachineCreate?: boolean
  order: DeletionOrder
}

export interface SetStep {
  create: number
  move: string[]
  delete: string[]
}

/** One pass of the MachineSet controller: what it does to come from its machines to its replicas. */
export function planSet(goal: SetGoal, machines: readonly SetMachine[], now: number): SetStep {
  const difference = machines.length - goal.replicas
  if (difference < 0) return { create: goal.disableMachineCreate ? 0 : -difference, move: [], delete: [] }
  const notCounted = goal.receives ? machines.filter((m) => m.pendingMove).length : 0
  const surplus = difference - notCounted
  if (surplus <= 0) return { create: 0, move: [], delete: [] }
  const ordered = inDeletionOrder(machines, goal.order, now)
  return goal.moveTo === undefined ? remove(ordered, surplus) : handOver(ordered, surplus)
}

function remove(ordered: SetMachine[], surplus: number): SetStep {
  // Those that are going already count; the rest of the number is asked for now.
  const going = ordered.slice(0, surplus).filter((m) => !m.deleting)
  return { create: 0, move: [], delete: going.map((m) => m.name) }
}

function handOver(ordered: SetMachine[], surplus: number): SetStep {
  const step: SetStep = { create: 0, move: [], delete: [] }
  let left = surplus
  for (const machine of ordered) {
    if (left <= 0) break
    if (machine.deleting) left--
    else if (machine.updating || !machine.hasNode) continue
    else {
      ;(machine.remediate ? step.delete : step.move).push(machine.name)
      left--
    }
  }
  return step
}
