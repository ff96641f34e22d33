import { readSteering, setChanges } from '../changes'
import { numberOf } from '../priority'
import { Pool, reconcileDeployment, type DeploymentPass, type SimulatedSet, type Simulation } from '../simulation'
import type { RolloutStrategy } from '../types'
import { CHOICE, choiceAt, choiceLines, choose, wentLines } from './choice'
import { ANNOTATIONS, CAN_UPDATE, numberOfSet, PENDING, WANTED } from './names'
import { deploymentAt, headed, LogError, rolloutAt, setAt } from './read'
import { deploymentLines, observedLines, rolloutLine } from './write'

const INITIAL = 'Initial state'
const OBSERVED = 'Observed state'
const FINAL = 'Final state'
const STATE = new RegExp(String.raw`^\[Test\] (${INITIAL}|${OBSERVED}|${FINAL})$`)
const DETAIL = /^ {6}- (.*)$/

/** Upstream's tests observe nothing: they know what there is. */
export const isRecorded = (lines: readonly string[]) => lines.includes(`[Test] ${OBSERVED}`)

/**
 * A log of what real managers decided, as our rules in production mode write it: from every state that was observed they
 * decide anew, and where everything is at rest, before and after, nothing.
 */
export function replayRecorded(text: string): string[] {
  const { lines, title } = headed(text)
  const strategy = strategyIn(lines)
  const ours = [`## ${title}`, '']
  let [lastSet, iteration] = [0, 0]
  for (const [at, line] of lines.entries()) {
    if (line === `[Test] ${CHOICE}`) {
      const choice = choiceAt(lines, at)
      const { set, goal } = choice
      ours.push(...choiceLines(choice), ...wentLines(++iteration, set, goal.replicas, choose(choice)))
    }
    const state = STATE.exec(line)?.[1]
    if (state === undefined) continue
    const simulation = stateAt(lines, at, strategy)
    lastSet = Math.max(lastSet, ...simulation.sets.map(numberOfSet))
    simulation.lastSet = lastSet
    const observed = observedLines(simulation, state)
    const pass = reconcileDeployment(simulation)
    const decision = () => [
      `[MD controller] Iteration ${++iteration}, Reconcile ${simulation.deployment.name}`,
      ...deploymentLines(simulation, pass),
    ]
    if (state === OBSERVED) ours.push(...observed, ...decision())
    // At rest, the deployment has counted all that there is.
    else ours.push(...observed.with(1, observedLines(simulation, state)[1]!))
    if (state === INITIAL) ours.push(rolloutLine(simulation, undefined))
    if (state !== OBSERVED && decides(pass)) ours.push(...decision())
  }
  return ours
}

function decides({ plan, before }: DeploymentPass): boolean {
  return [plan.current, ...plan.olds].some((set) => {
    const was = before.get(set.name)
    return was === undefined || setChanges(was, set).length > 0
  })
}

function strategyIn(lines: readonly string[]): RolloutStrategy {
  const at = lines.findIndex((line) => line.startsWith('[Test] Rollout '))
  if (at < 0) throw new LogError(lines.length, 'after a line "[Test] Rollout … replicas, …"')
  return rolloutAt(lines, at).strategy
}

function stateAt(lines: readonly string[], at: number, strategy: RolloutStrategy): Simulation {
  const deployment = deploymentAt(lines, at + 1)
  const sets: SimulatedSet[] = []
  const canUpdate = new Set<string>()
  let next = at + 2
  for (let set = setAt(lines, next); set; set = setAt(lines, next)) {
    const { machines, ...counts } = set
    if (sets.some(({ name }) => name === counts.name))
      throw new LogError(next + 1, 'a MachineSet that is not listed yet')
    // Sets are numbered in the order of their making, which is what the controller sorts them by.
    const own: SimulatedSet = {
      ...counts,
      createdAt: numberOfSet(set),
      wanted: false,
      machines: new Pool('production'),
    }
    const pending = new Set<string>()
    for (let detail = detailAt(lines, ++next); detail !== undefined; detail = detailAt(lines, ++next)) {
      if (detail === WANTED) own.wanted = true
      else if (detail === CAN_UPDATE) canUpdate.add(own.name)
      else if (detail.startsWith(ANNOTATIONS)) Object.assign(own, annotationsOf(detail.slice(ANNOTATIONS.length), next))
      else if (detail.startsWith(PENDING)) for (const name of detail.slice(PENDING.length).split(',')) pending.add(name)
      else throw new LogError(next + 1, 'something that is said of a MachineSet')
    }
    for (const machine of machines) own.machines.add({ ...machine, pendingMove: pending.has(machine.name) })
    sets.push(own)
  }
  const lastNumber = Math.max(0, ...sets.flatMap((set) => Array.from(set.machines, ({ name }) => numberOf(name))))
  const inPlaceUpdates = strategy.type === 'RollingUpdate'
  return { mode: 'production', strategy, inPlaceUpdates, canUpdate, deployment, sets, lastNumber }
}

const detailAt = (lines: readonly string[], at: number) => DETAIL.exec(lines[at] ?? '')?.[1]

/** A list within one has no slash, and so the next key is found. */
function annotationsOf(text: string, at: number): Partial<SimulatedSet> {
  const read = text.split(/,(?=[^,]*\/[^,]*: )/).map((one) => {
    const steering = readSteering(one)
    if (!steering) throw new LogError(at + 1, `"${ANNOTATIONS}" and those that steer a rollout`)
    return steering
  })
  return Object.assign({}, ...read) as Partial<SimulatedSet>
}
