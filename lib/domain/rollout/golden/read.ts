import { numberOf } from '../priority'
import { Pool, type SimulatedMachine, type SimulatedSet, type Simulation } from '../simulation'
import type { RolloutStrategy } from '../types'
import { foreseen } from './foreseen'

/** What the log says happened, in its order: who ran when, and what the user did. All the rest is for the rules. */
export type LogEvent = { line: number; iteration: number } & (
  { kind: 'deployment' } | { kind: 'set' | 'machine' | 'user'; name: string }
)

export interface GoldenLog {
  /** Lines as they are, without the last line break. */
  lines: string[]
  title: string
  start: Simulation
  /** "random(0)", where the order of controllers was drawn with a seed. */
  random?: string
  events: LogEvent[]
}

/** The log does not have the form of a golden log. */
export class LogError extends Error {
  constructor(
    readonly line: number,
    expected: string,
  ) {
    super(`line ${line} should be ${expected}`)
  }
}

const COUNTS = String.raw`(\d+)/(\d+) replicas, (\d+) available, (\d+) upToDate`
const DEPLOYMENT = new RegExp(`^ {4}(\\S+): ${COUNTS}$`)
const SET = new RegExp(`^ {4}(\\S+): ${COUNTS} \\((.*)\\)$`)
const ROLLOUT =
  /^\[Test\] Rollout \d+ replicas, (?:MaxSurge=(\d+%?), MaxUnavailable=(\d+%?)|onDeleteStrategy)(?:, (random\(-?\d+\)))?$/

const EVENTS: [RegExp, 'deployment' | 'set' | 'machine' | 'user'][] = [
  [/^\[MD controller\] Iteration (\d+), Reconcile (\S+)$/, 'deployment'],
  [/^\[MS controller\] Iteration (\d+), Reconcile (\S+?): /, 'set'],
  [/^\[M controller\] Iteration (\d+), Reconcile (\S+)$/, 'machine'],
  [/^\[User\] Iteration (\d+), Deleting machine (\S+)$/, 'user'],
]

export function readLog(text: string): GoldenLog {
  const { lines, title } = headed(text)
  const deployment = deploymentAt(lines, 3)
  const { wanted, canUpdate } = foreseen(lines)
  const sets: SimulatedSet[] = []
  let at = 4
  for (let set = setAt(lines, at); set; set = setAt(lines, ++at)) {
    const { machines, ...counts } = set
    // Upstream's tests give no creation times: what has to be ordered is ordered by name.
    sets.push({ ...counts, createdAt: 0, wanted: set.name === wanted, machines: new Pool('harness', machines) })
  }
  const { strategy, random } = rolloutAt(lines, at)
  const start: Simulation = {
    mode: 'harness',
    strategy,
    inPlaceUpdates: strategy.type === 'RollingUpdate',
    canUpdate,
    deployment,
    sets,
    lastNumber: Math.max(0, ...sets.flatMap((set) => Array.from(set.machines, (m) => numberOf(m.name)))),
  }
  return { lines, title, start, ...(random !== undefined ? { random } : {}), events: eventsOf(lines, at + 1) }
}

/** The lines of a log, and what it begins with. */
export function headed(text: string): { lines: string[]; title: string } {
  const lines = text.replace(/\n$/, '').split('\n')
  const title = /^## (.*)$/.exec(lines[0] ?? '')?.[1]
  if (title === undefined) throw new LogError(1, 'a title, "## …"')
  if (lines[1] !== '') throw new LogError(2, 'empty')
  if (lines[2] !== '[Test] Initial state') throw new LogError(3, '"[Test] Initial state"')
  return { lines, title }
}

export function deploymentAt(lines: readonly string[], at: number): Simulation['deployment'] {
  const found = DEPLOYMENT.exec(lines[at] ?? '')
  if (!found) throw new LogError(at + 1, 'the MachineDeployment with its counts, "md: 3/3 replicas, …"')
  const [status = 0, replicas = 0, available = 0, upToDate = 0] = found.slice(2).map(Number)
  return { name: found[1] ?? '', replicas, status, available, upToDate }
}

const intOrPercent = (text: string) => (text.endsWith('%') ? text : Number(text))

export function rolloutAt(lines: readonly string[], at: number): { strategy: RolloutStrategy; random?: string } {
  const rollout = ROLLOUT.exec(lines[at] ?? '')
  if (!rollout) throw new LogError(at + 1, 'a MachineSet with its counts, or "[Test] Rollout … replicas, …"')
  const [, surge, unavailable = '', random] = rollout
  const strategy: RolloutStrategy =
    surge === undefined
      ? { type: 'OnDelete' }
      : { type: 'RollingUpdate', maxSurge: intOrPercent(surge), maxUnavailable: intOrPercent(unavailable) }
  return { strategy, ...(random ? { random } : {}) }
}

/** A line of a MachineSet: its name, its counts as they stand there, and its machines. */
export function setAt(lines: readonly string[], at: number) {
  const found = SET.exec(lines[at] ?? '')
  if (!found) return undefined
  const [status = 0, spec = 0, available = 0, upToDate = 0] = found.slice(2, 6).map(Number)
  const machines = (found[6] ?? '').split(',').filter(Boolean).map(machineOf)
  return { name: found[1] ?? '', spec, status, available, upToDate, machines }
}

function machineOf(shown: string): SimulatedMachine {
  const name = shown.replace(/[🟠🟡]/gu, '')
  return {
    name,
    createdAt: 0,
    hasNode: true,
    started: true,
    pendingMove: shown.includes('🟠'),
    updating: shown.includes('🟡'),
  }
}

function eventsOf(lines: string[], from: number): LogEvent[] {
  const events: LogEvent[] = []
  for (const [index, line] of lines.entries()) {
    if (index < from) continue
    for (const [pattern, kind] of EVENTS) {
      const [, iteration, name] = pattern.exec(line) ?? []
      if (iteration === undefined || name === undefined) continue
      const when = { line: index + 1, iteration: Number(iteration) }
      events.push(kind === 'deployment' ? { ...when, kind } : { ...when, kind, name })
    }
  }
  return events
}
