import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Play, type Scenario } from './testing/play'
import { deletionPriority, fenceposts, inDeletionOrder, planSet, viewOf, scaled } from './index'

const amount = fc.oneof(
  fc.integer({ min: 0, max: 12 }),
  fc.integer({ min: 0, max: 100 }).map((n) => `${n}%`),
)

const scenario = fc
  .record({
    sizes: fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 3 }),
    maxSurge: amount,
    maxUnavailable: amount,
    inPlace: fc.boolean(),
    ineligible: fc.uniqueArray(fc.integer({ min: 0, max: 2 })),
    mode: fc.constantFrom('production' as const, 'harness' as const),
  })
  .map(({ sizes, maxSurge, maxUnavailable, ...rest }): Scenario => {
    let next = 1
    return {
      sets: sizes.map((size) => Array.from({ length: size }, () => next++)),
      replicas: sizes.reduce((a, b) => a + b, 0),
      strategy: { type: 'RollingUpdate', maxSurge, maxUnavailable },
      ...rest,
    }
  })

/** Any order of controller runs, the same in every iteration. */
const orders = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 5, maxLength: 5 })
const ordered = (weights: number[]) => (tasks: number[]) =>
  [...tasks].sort((a, b) => (weights[a + 1] ?? 0) - (weights[b + 1] ?? 0))

describe('any rollout', () => {
  it('ends, keeps its machines, stays within surge and above the floor', () => {
    fc.assert(
      fc.property(scenario, orders, (given, weights) => {
        const play = new Play(given).run(250, ordered(weights))
        const { replicas } = given
        const { surge, unavailable } = fenceposts(given.strategy, replicas)
        expect(play.of(play.current)).toHaveLength(replicas)
        expect(replicas + play.created - play.deleted.length).toBe(replicas)
        for (const pass of play.history) {
          expect(pass.available).toBeGreaterThanOrEqual(replicas - unavailable)
          expect(pass.machines).toBeLessThanOrEqual(replicas + surge)
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('creates nothing in place where a machine may be unavailable, and one spare at most otherwise', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 0, max: 6 }),
        (n, surge, down) => {
          const sets = [Array.from({ length: n }, (_, i) => i + 1)]
          const strategy = { type: 'RollingUpdate', maxSurge: surge, maxUnavailable: down } as const
          const play = new Play({ replicas: n, strategy, sets, inPlace: true }).run(250)
          expect(play.created).toBe(fenceposts(strategy, n).unavailable > 0 ? 0 : 1)
        },
      ),
    )
  })

  it('with the gate off replaces every machine exactly once', () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const play = new Play({ ...given, inPlace: false }).run(250)
        expect(play.created).toBe(given.replicas)
        expect(new Set(play.deleted).size).toBe(given.replicas)
      }),
    )
  })
})

describe('fenceposts', () => {
  it.each([
    ['25%', 10, 3, 2],
    ['28%', 25, 7, 7],
    ['1%', 3, 1, 0],
    ['0%', 3, 0, 0],
    [4, 3, 4, 4],
  ])('%s of %i', (value, of, up, down) => {
    expect([scaled(value, of, 'up'), scaled(value, of, 'down')]).toEqual([up, down])
  })

  it('never leaves both at zero, and never lets more be missing than there are', () => {
    expect(fenceposts({ type: 'RollingUpdate', maxSurge: '0%', maxUnavailable: '10%' }, 3)).toEqual({
      surge: 0,
      unavailable: 1,
    })
    expect(fenceposts({ type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 9 }, 3)).toEqual({
      surge: 0,
      unavailable: 3,
    })
    expect(fenceposts({ type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 0 }, 0)).toEqual({
      surge: 0,
      unavailable: 0,
    })
    expect(fenceposts({ type: 'RollingUpdate' }, 5)).toEqual({ surge: 1, unavailable: 0 })
  })

  it('says what is wrong with a value', () => {
    expect(() => scaled('ten', 3, 'up')).toThrow('"ten" is neither a number nor a percentage')
  })
})

describe('which machine goes first', () => {
  const now = Date.parse('2026-11-21T10:00:00Z')
  const day = 86_400_000
  it('deleting, marked, updating, unhealthy, then by order, then by name', () => {
    const machines = [
      { name: 'z', createdAt: now - day },
      { name: 'y', createdAt: now - 30 * day },
      { name: 'x', createdAt: now - day, unhealthy: true },
      { name: 'w', createdAt: now - day, updating: true },
      { name: 'v', createdAt: now - day, marked: true },
      { name: 'u', createdAt: now - day, deleting: true },
    ]
    const names = (order: 'Random' | 'Newest' | 'Oldest') => inDeletionOrder(machines, order, now).map((m) => m.name)
    expect(names('Random')).toEqual(['u', 'v', 'w', 'x', 'y', 'z'])
    expect(names('Oldest')).toEqual(['u', 'v', 'w', 'x', 'y', 'z'])
    expect(names('Newest')).toEqual(['u', 'v', 'w', 'x', 'z', 'y'])
    expect(deletionPriority({ name: 'n', createdAt: 0 }, 'Oldest', now)).toBe(0)
  })

  it('moves healthy machines, deletes marked ones, counts those that go, skips those that update', () => {
    const machine = (name: string, more = {}) => ({ name, createdAt: 0, hasNode: true, ...more })
    const machines = [
      machine('a', { deleting: true }),
      machine('b', { updating: true }),
      machine('c', { hasNode: false }),
      machine('d', { remediate: true }),
      machine('e'),
      machine('f'),
    ]
    const goal = { replicas: 3, moveTo: 'new', receives: false, order: 'Random' } as const
    expect(planSet(goal, viewOf(machines), now)).toEqual({ create: 0, move: ['e'], delete: ['d'] })
    expect(planSet({ ...goal, moveTo: undefined }, viewOf(machines), now)).toEqual({
      create: 0,
      move: [],
      delete: ['b', 'c'],
    })
    expect(planSet({ ...goal, replicas: 8 }, viewOf(machines), now).create).toBe(2)
    expect(planSet({ ...goal, replicas: 8, disableMachineCreate: true }, viewOf(machines), now).create).toBe(0)
  })
})
