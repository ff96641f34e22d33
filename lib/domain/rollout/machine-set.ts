import { inDeletionOrder, inHarnessOrder, type Candidate } from './priority'
import type { DeletionOrder, PlanMode } from './types'

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

export interface Excess {
  /** Machines that were moved here and are not in spec.replicas yet: they are not taken for too many. */
  notCounted: string[]
  /** How many have to go; below zero where fewer are counted than wanted. */
  surplus: number
}

/** What a set with more machines than replicas has too many of. */
export function excess(goal: SetGoal, machines: readonly SetMachine[]): Excess | undefined {
  if (machines.length <= goal.replicas) return undefined
  const notCounted = goal.receives ? machines.filter((m) => m.pendingMove).map((m) => m.name) : []
  return { notCounted, surplus: machines.length - notCounted.length - goal.replicas }
}

/** One pass of the MachineSet controller: what it does to come from its machines to its replicas. */
export function planSet(
  goal: SetGoal,
  machines: readonly SetMachine[],
  now: number,
  mode: PlanMode = 'production',
): SetStep {
  const missing = goal.replicas - machines.length
  if (missing > 0) return { create: goal.disableMachineCreate ? 0 : missing, move: [], delete: [] }
  const surplus = excess(goal, machines)?.surplus ?? 0
  if (surplus <= 0) return { create: 0, move: [], delete: [] }
  if (mode === 'harness') return asInHarness(goal, machines, surplus)
  const ordered = inDeletionOrder(machines, goal.order, now)
  return goal.moveTo === undefined ? remove(ordered, surplus) : handOver(ordered, surplus)
}

/** Upstream's tests: whatever the deletion order says, and a machine that goes is gone at once. */
function asInHarness(goal: SetGoal, machines: readonly SetMachine[], surplus: number): SetStep {
  const moves = goal.moveTo !== undefined
  const free = moves ? machines.filter((m) => !m.deleting && !m.updating) : machines
  const names = inHarnessOrder(free)
    .slice(0, surplus)
    .map((m) => m.name)
  return { create: 0, move: moves ? names : [], delete: moves ? [] : names }
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
    // One that a health check marked goes, also in the middle of an update or without a node.
    if (machine.remediate && !machine.deleting) step.delete.push(machine.name)
    else if (!machine.deleting) {
      if (machine.updating || !machine.hasNode) continue
      step.move.push(machine.name)
    }
    left--
  }
  return step
}
