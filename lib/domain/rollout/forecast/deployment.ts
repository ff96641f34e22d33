import { fenceposts } from '../fenceposts'
import {
  isOver,
  Pool,
  reconcileDeployment,
  reconcileSet,
  sumOf,
  type SimulatedSet,
  type Simulation,
} from '../simulation'
import { Clock, type Due } from './clock'
import { Course } from './course'
import type { DeploymentInput, Draw, Forecast } from './types'

/**
 * Plays the rollout of a MachineDeployment forward by the controllers' own rules, from the machines that are there. New
 * machines are called m1, m2, … : what they will be called, only the cluster knows.
 */
export function forecastDeployment(input: DeploymentInput, draw: Draw): Forecast {
  const simulation = simulationOf(input)
  const clock = new Clock()
  const { unavailable } = fenceposts(input.strategy, input.replicas)
  const course = new Course(clock, draw, Math.max(0, input.replicas - unavailable), simulation.deployment.status)
  for (const set of simulation.sets)
    for (const machine of set.machines) {
      if (machine.deleting) course.begin(machine.name, 'delete')
      else if (machine.updating) course.begin(machine.name, 'update')
      else if (!machine.started && !machine.unhealthy) course.begin(machine.name, 'create')
    }
  const seen: Seen = new Map()
  for (;;) {
    settle(simulation, input, course, seen)
    const { sets } = simulation
    course.frame(
      sumOf(sets, (set) => set.machines.available),
      sumOf(sets, (set) => set.machines.size),
      sumOf(sets, (set) => (set.wanted ? set.machines.available : 0)),
    )
    if (isOver(simulation)) return course.over()
    const due = clock.next()
    if (due.length === 0) return course.over(whyStalled(simulation))
    for (const one of due) finish(simulation, one)
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
type Seen = Map<SimulatedSet, [version: number, ...unknown[]]>
const inputsOf = (set: SimulatedSet): [number, ...unknown[]] => [
  ...([set.machines.version, set.spec, set.moveTo] as const),
  ...[set.receiveFrom?.length, set.acknowledged],
]

/** Lets the controllers run until none of them has anything to do at this moment. */
function settle(simulation: Simulation, { order, now }: DeploymentInput, course: Course, seen: Seen): void {
  for (let ran = true; ran;) {
    ran = false
    reconcileDeployment(simulation)
    for (const set of simulation.sets) {
      const before = seen.get(set)
      if (before && inputsOf(set).every((input, i) => input === before[i])) continue
      ran = true
      const { did } = reconcileSet(simulation, set, { order, now })
      seen.set(set, inputsOf(set))
      const work = did && ({ created: 'create', moved: 'update', deleted: 'delete' } as const)[did.what]
      if (work) for (const machine of did.machines) course.begin(machine, work)
    }
  }
}

function finish({ sets }: Simulation, { machine, work }: Due): void {
  const machines = sets.find((set) => set.machines.get(machine))?.machines
  // Deleted while it was made or updated.
  if (!machines || (work !== 'delete' && machines.get(machine)?.deleting)) return
  if (work === 'delete') machines.take(machine)
  else if (work === 'create') machines.change(machine, { started: true, hasNode: true })
  else machines.change(machine, { updating: false })
}

function whyStalled({ strategy, sets }: Simulation): string {
  const old = sumOf(sets, (set) => (set.wanted ? 0 : set.machines.size))
  if (strategy.type === 'OnDelete' && old > 0)
    return 'With the strategy OnDelete, an old machine goes when somebody deletes it.'
  return 'Machines that are not available keep it from going on: what they wait for is not known.'
}
