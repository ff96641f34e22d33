import { fenceposts } from '../fenceposts'
import { isOver, Pool, reconcileSet, stepDeployment, sumOf, type SimulatedSet, type Simulation } from '../simulation'
import { Clock, isWork, type Due } from './clock'
import { AT_ONCE, Course } from './course'
import { whyStalled } from './stalled'
import type { DeploymentInput, Draw, Forecast, Gap, Work } from './types'

/**
 * Plays the rollout of a MachineDeployment forward by the controllers' own rules, from the machines that are there. New
 * machines are called m1, m2, … : what they will be called, only the cluster knows.
 */
export function forecastDeployment(input: DeploymentInput, draw: Draw, gap: Gap = AT_ONCE): Forecast {
  const simulation = simulationOf(input)
  const clock = new Clock()
  const { unavailable } = fenceposts(input.strategy, input.replicas)
  const course = new Course(clock, draw, Math.max(0, input.replicas - unavailable), simulation.deployment.status, gap)
  for (const set of simulation.sets)
    for (const machine of set.machines) {
      if (machine.deleting) course.begin(machine.name, 'delete')
      else if (machine.updating) course.begin(machine.name, 'update')
      else if (!machine.started && !machine.unhealthy) course.begin(machine.name, 'create')
    }
  const seen: Seen = new Map()
  const frame = ({ sets }: Simulation) =>
    course.frame(
      sumOf(sets, (set) => set.machines.available),
      sumOf(sets, (set) => set.machines.size),
      sumOf(sets, (set) => (set.wanted ? set.machines.available : 0)),
    )
  frame(simulation)
  for (let looking = !course.pause(); ;) {
    if (looking) settle(simulation, input, course, seen)
    frame(simulation)
    if (isOver(simulation)) return course.over()
    const due = clock.next()
    if (due.length === 0) return course.over(whyStalled(simulation, input))
    const ended = due.filter(isWork)
    for (const one of ended) finish(simulation, one)
    looking = ended.length < due.length || !course.pause()
  }
}

function simulationOf({ replicas, strategy, sets }: DeploymentInput): Simulation {
  const simulated = sets.map(({ name, createdAt, wanted, certainReplace, machines }) => {
    const pool = new Pool(
      'production',
      machines.map(({ available, ...machine }) => ({ ...machine, started: available || machine.updating === true })),
    )
    const { size: status, available } = pool
    // What is going is going because it is not wanted; where it is, the set makes another one all the same.
    const counts = { spec: status - pool.deleting, status, available, upToDate: wanted ? available : 0 }
    return { name, createdAt, wanted, certainReplace, ...counts, machines: pool }
  })
  const count = (of: 'status' | 'available' | 'upToDate') => sumOf(simulated, (set) => set[of])
  return {
    mode: 'production',
    strategy,
    inPlaceUpdates: true,
    canUpdate: new Set(sets.filter((set) => set.canUpdate).map((set) => set.name)),
    deployment: {
      ...{ name: '', replicas, status: count('status') },
      ...{ available: count('available'), upToDate: count('upToDate') },
    },
    sets: simulated,
    lastNumber: 0,
  }
}

/** What a set's controller goes by; the same as after its last pass: nothing to do. */
type Inputs = Pick<SimulatedSet, 'spec' | 'moveTo' | 'acknowledged'> & { version: number; from?: number }
type Seen = Map<SimulatedSet, Inputs>

const inputsOf = ({ machines, spec, moveTo, receiveFrom, acknowledged }: SimulatedSet): Inputs => ({
  ...{ version: machines.version, spec, moveTo, from: receiveFrom?.length, acknowledged },
})

function isSettled(set: SimulatedSet, seen: Seen): boolean {
  const last = seen.get(set)
  return (
    last !== undefined &&
    last.version === set.machines.version &&
    last.spec === set.spec &&
    last.moveTo === set.moveTo &&
    last.from === set.receiveFrom?.length &&
    last.acknowledged === set.acknowledged
  )
}

/** Lets the controllers run until none of them has anything to do at this moment. */
function settle(simulation: Simulation, { order, now }: DeploymentInput, course: Course, seen: Seen): void {
  do {
    for (const set of simulation.sets) {
      if (isSettled(set, seen)) continue
      const { did } = reconcileSet(simulation, set, { order, now })
      seen.set(set, inputsOf(set))
      const work = did && WORK[did.what]
      if (work) for (const machine of did.machines) course.begin(machine, work)
    }
    stepDeployment(simulation)
  } while (!simulation.sets.every((set) => isSettled(set, seen)))
}

const WORK = { created: 'create', moved: 'update', deleted: 'delete' } as const

function finish({ sets }: Simulation, { machine, work }: Due & { work: Work }): void {
  const machines = sets.find((set) => set.machines.get(machine))?.machines
  // Deleted while it was made or updated.
  if (!machines || (work !== 'delete' && machines.get(machine)?.deleting)) return
  if (work === 'delete') machines.take(machine)
  else if (work === 'create') machines.change(machine, { started: true, hasNode: true })
  else machines.change(machine, { updating: false })
}
