import { excess, planSet, viewOf, type SetGoal, type SetMachine } from '../machine-set'
import type { DeletionOrder } from '../types'
import { LogError } from './read'

/** Which machines of a set went, as it was recorded from a real manager. */
export const CHOICE = 'Observed machines'

const SET = /^ {4}(\S+): (\d+) of (\d+) replicas, (Random|Newest|Oldest) first$/
const DETAIL = /^ {6}- (.*)$/
const MACHINE = /^(\S+): (\d+) s((?:, [a-z ]+)*)$/
const MOVES = 'Moves machines to '
const RECEIVES = 'Takes machines over'

const FACTS = {
  deleting: 'deleting',
  marked: 'marked',
  updating: 'updating',
  unhealthy: 'unhealthy',
  pendingMove: 'pending acknowledge',
  remediate: 'to be remediated',
} as const satisfies Partial<Record<keyof SetMachine, string>>
type Fact = keyof typeof FACTS
const NO_NODE = 'without a node'

export interface Choice {
  set: string
  goal: SetGoal
  /** By their real names, which ties are broken by; the ages in seconds. */
  machines: (Omit<SetMachine, 'createdAt'> & { age: number })[]
}

export function choiceLines({ set, goal, machines }: Choice): string[] {
  const facts = (machine: Choice['machines'][number]) => [
    ...(Object.keys(FACTS) as Fact[]).flatMap((fact) => (machine[fact] ? [FACTS[fact]] : [])),
    ...(machine.hasNode ? [] : [NO_NODE]),
  ]
  const details = [
    ...(goal.moveTo === undefined ? [] : [`${MOVES}${goal.moveTo}`]),
    ...(goal.receives ? [RECEIVES] : []),
    ...machines.map((machine) => [`${machine.name}: ${machine.age} s`, ...facts(machine)].join(', ')),
  ]
  return [
    `[Test] ${CHOICE}`,
    `    ${set}: ${goal.replicas} of ${machines.length} replicas, ${goal.order} first`,
    ...details.map((line) => `      - ${line}`),
  ]
}

export interface Went {
  /** How many are too many, as the controller counts. */
  surplus: number
  moveTo?: string
  deleted: string[]
  moved: string[]
}

export function wentLines(iteration: number, set: string, replicas: number, went: Went): string[] {
  const how = went.moveTo === undefined ? ['deleting', ''] : ['moving', ` to ${went.moveTo}`]
  const names = [...went.deleted.map((name) => `${name} deleted`), ...went.moved.map((name) => `${name} moved`)]
  return [
    `[MS controller] Iteration ${iteration}, Reconcile ${set}`,
    `[MS controller] - ${set} scale down to ${replicas} replicas by ${how[0]} ${went.surplus} Machines${how[1]} (${names.join(', ')})`,
  ]
}

/** Which ones go by our rules. */
export function choose({ goal, machines }: Choice): Went {
  // Named by their place, so that ties are broken as they were.
  const placed = machines.map((machine, place) => {
    return { ...machine, name: `${place}`.padStart(6, '0'), createdAt: -machine.age * 1000 }
  })
  const view = viewOf(placed)
  const { move, delete: gone } = planSet(goal, view, 0)
  const named = (places: string[]) => places.map((place) => machines[Number(place)]!.name)
  const { moveTo } = goal
  const surplus = excess(goal, view)?.surplus ?? 0
  return { surplus, deleted: named(gone), moved: named(move), ...(moveTo === undefined ? {} : { moveTo }) }
}

export function choiceAt(lines: readonly string[], at: number): Choice {
  const found = SET.exec(lines[at + 1] ?? '')
  if (!found) throw new LogError(at + 2, 'a MachineSet, "ms1: 2 of 3 replicas, Random first"')
  const [, set = '', replicas, , order] = found
  const goal: SetGoal = { replicas: Number(replicas), receives: false, order: order as DeletionOrder }
  const machines: Choice['machines'] = []
  for (let next = at + 2; DETAIL.test(lines[next] ?? ''); next++) {
    const detail = DETAIL.exec(lines[next]!)![1]!
    if (detail.startsWith(MOVES)) goal.moveTo = detail.slice(MOVES.length)
    else if (detail === RECEIVES) goal.receives = true
    else machines.push(machineIn(detail, next))
  }
  return { set, goal, machines }
}

function machineIn(detail: string, at: number): Choice['machines'][number] {
  const [, name, age, listed = ''] = MACHINE.exec(detail) ?? []
  if (name === undefined) throw new LogError(at + 1, 'a machine with its age, "m1: 30 s"')
  const facts = new Set(listed.split(', '))
  const known = Object.fromEntries((Object.keys(FACTS) as Fact[]).map((fact) => [fact, facts.has(FACTS[fact])]))
  return { name, age: Number(age), hasNode: !facts.has(NO_NODE), ...known }
}
