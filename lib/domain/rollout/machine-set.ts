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

/** The machines of a set as one pass needs them, however they are kept. */
export interface MachineView extends Iterable<SetMachine> {
  size: number
  /** How many of them are going already: they are the first to go. */
  deleting: number
  /** Names of those that were moved here and are not acknowledged. */
  pending: ReadonlySet<string>
  /** The others, the first to go first. */
  inOrder(order: DeletionOrder, now: number): Iterable<SetMachine>
}

export interface Excess {
  /** Machines that were moved here and are not in spec.replicas yet: they are not taken for too many. */
  notCounted: string[]
  /** How many have to go; below zero where fewer are counted than wanted. */
  surplus: number
}

/** What a set with more machines than replicas has too many of. */
export function excess(goal: SetGoal, machines: MachineView): Excess | undefined {
  if (machines.size <= goal.replicas) return undefined
  const notCounted = goal.receives ? [...machines.pending] : []
  return { notCounted, surplus: machines.size - notCounted.length - goal.replicas }
}

export const viewOf = (machines: readonly SetMachine[]): MachineView => ({
  size: machines.length,
  deleting: machines.filter((m) => m.deleting).length,
  pending: new Set(machines.filter((m) => m.pendingMove).map((m) => m.name)),
  inOrder: (order, now) =>
    inDeletionOrder(
      machines.filter((m) => !m.deleting),
      order,
      now,
    ),
  [Symbol.iterator]: () => machines[Symbol.iterator](),
})

/** One pass of the MachineSet controller: what it does to come from its machines to its replicas. */
export function planSet(goal: SetGoal, machines: MachineView, now: number, mode: PlanMode = 'production'): SetStep {
  const missing = goal.replicas - machines.size
  if (missing > 0) return { create: goal.disableMachineCreate ? 0 : missing, move: [], delete: [] }
  const surplus = excess(goal, machines)?.surplus ?? 0
  if (surplus <= 0) return { create: 0, move: [], delete: [] }
  if (mode === 'harness') return asInHarness(goal, [...machines], surplus)
  const step: SetStep = { create: 0, move: [], delete: [] }
  // Those that are going already count.
  let left = surplus - machines.deleting
  if (left <= 0) return step
  for (const machine of machines.inOrder(goal.order, now)) {
    // One that a health check marked goes, also in the middle of an update or without a node.
    if (goal.moveTo === undefined || machine.remediate) step.delete.push(machine.name)
    else {
      if (machine.updating || !machine.hasNode) continue
      step.move.push(machine.name)
    }
    if (--left <= 0) break
  }
  return step
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
