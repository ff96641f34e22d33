import { setChanges, steeringOf } from '../changes'
import type { DeploymentPass, SetPass, SimulatedSet, Simulation } from '../simulation'
import type { PlanMode } from '../types'
import { ANNOTATIONS, byNumber, CAN_UPDATE, PENDING, WANTED } from './names'

/** The lines of a golden log, out of what the rules say. */
const counts = ({ status, available, upToDate }: { status: number; available: number; upToDate: number }, of: number) =>
  `${status}/${of} replicas, ${available} available, ${upToDate} upToDate`

const deploymentLine = ({ deployment }: Simulation) => `${deployment.name}: ${counts(deployment, deployment.replicas)}`

function machinesOf(set: SimulatedSet): string {
  const shown = Array.from(set.machines, (m) => {
    const uncounted = m.pendingMove && !set.acknowledged?.includes(m.name)
    return `${m.name}${uncounted ? '🟠' : ''}${m.updating ? '🟡' : ''}`
  })
  return `(${shown.join(',')})`
}

const setLine = (set: SimulatedSet) => `${set.name}: ${counts(set, set.spec)} ${machinesOf(set)}`

const together = (names: string[]) => [...names].sort().join(',')

export function stateLines(simulation: Simulation, title: string): string[] {
  const sets = byNumber(simulation.sets).map(setLine)
  return [`[Test] ${title}`, ...[deploymentLine(simulation), ...sets].map((line) => `    ${line}`)]
}

/** A state that was observed on real managers: with everything else that a pass goes by. */
export function observedLines(simulation: Simulation, title: string): string[] {
  const details = (set: SimulatedSet) => [
    ...(set.wanted ? [WANTED] : []),
    ...(simulation.canUpdate.has(set.name) ? [CAN_UPDATE] : []),
    `${ANNOTATIONS}${steeringOf(set).join(',')}`,
    ...(set.machines.pending.size > 0 ? [`${PENDING}${together([...set.machines.pending])}`] : []),
  ]
  const sets = byNumber(simulation.sets).flatMap((set) => [
    `    ${setLine(set)}`,
    ...details(set).map((line) => `      - ${line}`),
  ])
  return [`[Test] ${title}`, `    ${deploymentLine(simulation)}`, ...sets]
}

export function rolloutLine({ sets, strategy }: Simulation, random: string | undefined): string {
  const machines = sets.reduce((sum, set) => sum + set.machines.size, 0)
  const how =
    strategy.type === 'OnDelete'
      ? 'onDeleteStrategy'
      : `MaxSurge=${strategy.maxSurge}, MaxUnavailable=${strategy.maxUnavailable}`
  return `[Test] Rollout ${machines} replicas, ${how}${random ? `, ${random}` : ''}`
}

export function deploymentLines(simulation: Simulation, pass: DeploymentPass): string[] {
  const { name } = simulation.deployment
  return [
    '[MD controller] - Result of rollout planner',
    `    ${name}: ${deploymentLine(simulation)}`,
    ...byNumber(simulation.sets).flatMap((set) => plannedLines(set, pass, simulation.mode)),
    ...(simulation.mode === 'harness' ? tolerations(pass) : []),
  ]
}

/** What upstream's tests check after each pass. */
const tolerations = ({ breaches }: DeploymentPass) => [
  ...(breaches.unavailable ? ['[Toleration] tolerate maxUnavailable breach'] : []),
  ...(breaches.surge ? ['[Toleration] tolerate maxSurge breach'] : []),
]

/** The managers, in production, give no reason where they make a set, and one where they only change annotations. */
function plannedLines(set: SimulatedSet, { plan, before }: DeploymentPass, mode: PlanMode): string[] {
  const own = [plan.current, ...plan.olds].find((one) => one.name === set.name)
  if (!own) return []
  const was = before.get(set.name)
  const { replicas } = own
  const scaled = was !== undefined && was.spec !== replicas
  const rest = `${set.available} available, ${set.upToDate} upToDate ${machinesOf(set)}`
  const here = scaled ? `from ${set.status}/${was.spec} to ${set.status}/${replicas}` : `${set.status}/${replicas}`
  const lines = [`    ${set.name}: ${here} replicas, ${rest}`]
  const real = mode === 'production'
  const reason = real && own.notes.length === 0 ? [] : [`        - Reason: ${own.notes.join(', ')}`]
  if (!was) {
    lines.push(`      - MachineSet ${set.name} created, it is now the current MachineSet`)
    if (replicas === 0) return lines
    lines.push(`      - Scaled up current MachineSet ${set.name} from 0 to ${replicas} replicas (+${replicas})`)
    return real ? lines : [...lines, ...reason]
  }
  const kind = own === plan.current ? 'current' : 'old'
  const changes = setChanges(was, own)
  if (scaled) {
    const [direction, by] = replicas < was.spec ? ['down', was.spec - replicas] : ['up', replicas - was.spec]
    const sign = direction === 'down' ? '-' : '+'
    const what = `from ${was.spec} to ${replicas} replicas (${sign}${by})`
    lines.push(`      - Scaled ${direction} ${kind} MachineSet ${set.name} ${what}`, ...reason)
  } else if (changes.length > 0) lines.push(`      - Updated ${kind} MachineSet ${set.name}`, ...(real ? reason : []))
  if (changes.length > 0) lines.push(`        - Diff: ${changes.join(',')}`)
  return lines
}

/** `set`: as it was before the pass. */
export const setHeader = (iteration: number, set: SimulatedSet) =>
  `[MS controller] Iteration ${iteration}, Reconcile ${setLine(set)}`

export function setLines(simulation: Simulation, set: SimulatedSet, { completed, waiting, did }: SetPass): string[] {
  const say = (text: string) => `[MS controller] - ${text}`
  const lines: string[] = []
  if (completed.length > 0) lines.push(say(`Replicas ${together(completed)} completed in-place update`))
  if (waiting.length > 0) {
    const from = 'moved from an old MachineSet still pending acknowledge from machine deployment'
    lines.push(say(`Replicas ${together(waiting)} ${from} ${simulation.deployment.name}`))
  }
  if (!did) return lines
  const names = did.machines.join(',')
  const goal = `${set.spec} replicas`
  const { name, spec, machines } = set
  if (did.what === 'moved')
    lines.push(say(`${name} scale down to ${machines.size}/${goal} (${names} moved to ${did.to})`))
  else if (did.what === 'deleted') lines.push(say(`${name} scale down to ${spec}/${goal} (${names} deleted)`))
  else lines.push(say(`${name} scale up to ${spec}/${goal} (${names} created)`))
  return lines
}
