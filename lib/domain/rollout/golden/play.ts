import { copyOf, deleteMachine, isOver, reconcileDeployment, reconcileMachine, reconcileSet } from '../simulation'
import { isRecorded, replayRecorded } from './recorded'
import { readLog, type GoldenLog, type LogEvent } from './read'
import { deploymentLines, rolloutLine, setHeader, setLines, stateLines } from './write'

/** The first line that differs; `log` or `ours` is missing where that side ended before. */
export interface Difference {
  line: number
  log?: string
  ours?: string
}

/**
 * Plays a log by our rules and compares every line: its events, as upstream's tests log them, or the decisions that were
 * recorded from real managers, each from the state that was observed. Throws a LogError where it is neither.
 */
export function playLog(text: string): Difference | undefined {
  const lines = text.replace(/\n$/, '').split('\n')
  const ours = isRecorded(lines) ? replayRecorded(text) : replay(readLog(text))
  const length = Math.max(lines.length, ours.length)
  for (let i = 0; i < length; i++) {
    if (lines[i] !== ours[i]) return { line: i + 1, log: lines[i], ours: ours[i] }
  }
  return undefined
}

/** The whole log as our rules write it. It ends where they say that the rollout is over, or where they cannot go on. */
function replay({ title, start, random, events }: GoldenLog): string[] {
  const simulation = copyOf(start)
  const lines = [`## ${title}`, '', ...stateLines(simulation, 'Initial state'), rolloutLine(simulation, random)]
  // An iteration in which nobody ran leaves nothing in the log but its end.
  if (events.length === 0 && isOver(simulation)) return [...lines, ...stateLines(simulation, 'Final state')]
  for (const [index, event] of events.entries()) {
    try {
      lines.push(...step(simulation, event))
    } catch (error) {
      return [...lines, `(${(error as Error).message})`]
    }
    const ends = events[index + 1]?.iteration !== event.iteration
    if (ends && isOver(simulation)) return [...lines, ...stateLines(simulation, 'Final state')]
  }
  return [...lines, '(nobody runs after this, and the rollout is not over)']
}

function step(simulation: GoldenLog['start'], event: LogEvent): string[] {
  const { iteration } = event
  if (event.kind === 'deployment') {
    const header = `[MD controller] Iteration ${iteration}, Reconcile ${simulation.deployment.name}`
    return [header, ...deploymentLines(simulation, reconcileDeployment(simulation))]
  }
  const { name } = event
  if (event.kind === 'set') {
    const set = simulation.sets.find((one) => one.name === name)
    if (!set) throw new Error(`there is no MachineSet ${name} now`)
    const header = setHeader(iteration, set)
    return [header, ...setLines(simulation, set, reconcileSet(simulation, set))]
  }
  if (event.kind === 'user') {
    if (!deleteMachine(simulation, name)) throw new Error(`there is no Machine ${name} now`)
    return [`[User] Iteration ${iteration}, Deleting machine ${name}`]
  }
  const machine = reconcileMachine(simulation, name)
  if (!machine) throw new Error(`there is no Machine ${name} now`)
  const header = `[M controller] Iteration ${iteration}, Reconcile ${name}`
  return machine.gone ? [header, `[M controller] - ${name} finalizer removed`] : [header]
}
