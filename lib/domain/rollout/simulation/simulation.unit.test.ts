import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fenceposts } from '../fenceposts'
import {
  deleteMachine,
  isOver,
  reconcileDeployment,
  reconcileMachine,
  reconcileSet,
  Pool,
  type SimulatedMachine,
  type Simulation,
} from './index'

const amount = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map((n) => `${n}%`),
)
const machine = (n: number): SimulatedMachine => ({ name: `m${n}`, createdAt: 0, hasNode: true, started: true })

function simulationOf(sizes: number[], more: Partial<Simulation> = {}): Simulation {
  let last = 0
  const sets = sizes.map((size, i) => ({
    name: `ms${i + 1}`,
    createdAt: i,
    spec: size,
    status: size,
    available: size,
    upToDate: 0,
    wanted: false,
    machines: new Pool(
      'production',
      Array.from({ length: size }, () => machine(++last)),
    ),
  }))
  return {
    mode: 'production',
    strategy: { type: 'RollingUpdate', maxSurge: 1, maxUnavailable: 0 },
    inPlaceUpdates: true,
    canUpdate: new Set(sets.map((set) => set.name)),
    deployment: { name: 'pool', replicas: last, status: last, available: last, upToDate: 0 },
    sets,
    lastNumber: last,
    ...more,
  }
}

const machinesOf = (simulation: Simulation) => simulation.sets.flatMap((set) => [...set.machines])

/** Everything there is to run, once, in an order of the caller's. */
function iterate(simulation: Simulation, shuffle: (tasks: string[]) => string[], after: () => void) {
  const names = [...simulation.sets, ...machinesOf(simulation)].map(({ name }) => name)
  for (const task of shuffle(['deployment', ...names])) {
    const set = simulation.sets.find(({ name }) => name === task)
    if (task === 'deployment') reconcileDeployment(simulation)
    else if (set) reconcileSet(simulation, set)
    else reconcileMachine(simulation, task)
    after()
  }
}

/** Another order in every iteration, and the same again for the same seed. */
function shuffled(seed: number) {
  let at = seed
  const draw = () => (at = (at * 48_271) % 2_147_483_647)
  return (tasks: string[]) =>
    tasks
      .map((task) => [draw(), task] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, task]) => task)
}

function run(simulation: Simulation, shuffle = (tasks: string[]) => tasks, after = () => {}, limit = 400) {
  for (let i = 0; i < limit && !isOver(simulation); i++) iterate(simulation, shuffle, after)
  expect(isOver(simulation), `still going after ${limit} iterations`).toBe(true)
  return machinesOf(simulation).map((m) => m.name)
}

describe('a rollout as in production', () => {
  it.each([
    ['with a spare', 1, 0, ['m1', 'm2', 'm4']],
    ['with one machine less', 0, 1, ['m1', 'm2', 'm3']],
    ['with both', 1, 1, ['m1', 'm2', 'm3']],
  ])('in place, %s', (_, maxSurge, maxUnavailable, names) => {
    const strategy = { type: 'RollingUpdate', maxSurge, maxUnavailable } as const
    expect(run(simulationOf([3], { strategy })).sort()).toEqual(names)
  })

  it('replaces what the updater cannot do, and moves the rest', () => {
    const strategy = { type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 1 } as const
    const names = run(simulationOf([2, 2], { strategy, canUpdate: new Set(['ms2']) }))
    expect(names.sort()).toEqual(['m3', 'm4', 'm5', 'm6'])
  })

  it('OnDelete waits for the user', () => {
    const simulation = simulationOf([2], { strategy: { type: 'OnDelete' } })
    for (let i = 0; i < 8; i++)
      iterate(
        simulation,
        (tasks) => tasks,
        () => {},
      )
    expect(machinesOf(simulation).map((m) => m.name)).toEqual(['m1', 'm2'])
    for (const name of ['m1', 'm2']) {
      expect(deleteMachine(simulation, name)).toBe(true)
      for (let i = 0; i < 8; i++)
        iterate(
          simulation,
          (tasks) => tasks,
          () => {},
        )
    }
    expect(machinesOf(simulation).map((m) => m.name)).toEqual(['m3', 'm4'])
    expect(isOver(simulation)).toBe(true)
    expect(deleteMachine(simulation, 'm1')).toBe(false)
    expect(reconcileMachine(simulation, 'm1')).toBeUndefined()
  })

  it('ends, whoever runs when; never below the floor, never above the surge', () => {
    fc.assert(
      fc.property(
        fc.record({
          sizes: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 3 }),
          maxSurge: amount,
          maxUnavailable: amount,
          yes: fc.subarray(['ms1', 'ms2', 'ms3']),
          seed: fc.integer({ min: 1, max: 2_147_483_646 }),
        }),
        ({ sizes, maxSurge, maxUnavailable, yes, seed }) => {
          const strategy = { type: 'RollingUpdate', maxSurge, maxUnavailable } as const
          const simulation = simulationOf(sizes, { strategy, canUpdate: new Set(yes) })
          const { replicas } = simulation.deployment
          const { surge, unavailable } = fenceposts(strategy, replicas)
          let [fewest, most] = [replicas, replicas]
          const names = run(simulation, shuffled(seed), () => {
            let [available, there] = [0, 0]
            for (const { machines } of simulation.sets) {
              available += machines.available
              there += machines.size
            }
            fewest = Math.min(fewest, available)
            most = Math.max(most, there)
          })
          expect(fewest).toBeGreaterThanOrEqual(replicas - unavailable)
          expect(most).toBeLessThanOrEqual(replicas + surge)
          expect(new Set(names).size).toBe(replicas)
        },
      ),
      { numRuns: 10_000 },
    )
  }, 120_000)

  it('of one old revision the same machines stay, are updated and go, whoever runs when', () => {
    const group = fc.record({
      size: fc.integer({ min: 1, max: 8 }),
      maxSurge: amount,
      maxUnavailable: amount,
      able: fc.boolean(),
      seeds: fc.tuple(fc.integer({ min: 1, max: 2_147_483_646 }), fc.integer({ min: 1, max: 2_147_483_646 })),
    })
    fc.assert(
      fc.property(group, ({ size, maxSurge, maxUnavailable, able, seeds }) => {
        const strategy = { type: 'RollingUpdate', maxSurge, maxUnavailable } as const
        const [one, other] = seeds.map((seed) => {
          const simulation = simulationOf([size], { strategy, ...(able ? {} : { canUpdate: new Set<string>() }) })
          return run(simulation, shuffled(seed)).sort()
        })
        expect(one).toEqual(other)
      }),
      { numRuns: 10_000 },
    )
  }, 120_000)
})
