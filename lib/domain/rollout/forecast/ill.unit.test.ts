import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fenceposts } from '../fenceposts'
import { forecastDeployment, type Move } from './index'

const amount = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 0, max: 100 }).map((n) => `${n}%`),
)

const moved = (moves: readonly Move[]) => moves.flatMap(({ machine, work }) => (work === 'create' ? [] : [machine]))

it('a machine that is not well: never below the floor but for it, never above the surge, and it ends or says why not', () => {
  const group = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
    ...{ maxSurge: amount, maxUnavailable: amount, ill: fc.nat(14), hasNode: fc.boolean() },
    able: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    seeds: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 20, maxLength: 20 }),
  })
  let [ended, all] = [0, 0]
  fc.assert(
    fc.property(group, ({ sizes, maxSurge, maxUnavailable, ill, hasNode, able, seeds }) => {
      const replicas = sizes.reduce((a, b) => a + b)
      const strategy = { type: 'RollingUpdate' as const, maxSurge, maxUnavailable }
      let [made, at] = [0, 0]
      const sets = sizes.map((size, s) => ({
        ...{ name: `set${s}`, createdAt: s, wanted: false, canUpdate: able[s]! },
        machines: Array.from({ length: size }, (_, i) => {
          const well = made++ !== ill % replicas
          const state = well ? { hasNode: true, available: true } : { hasNode, available: false, unhealthy: true }
          return { name: `s${s}-${i}`, createdAt: 1, ...state }
        }),
      }))
      const forecast = forecastDeployment(
        { replicas, strategy, order: 'Random', now: 1e9, sets },
        () => seeds[at++ % 20]! * 1000,
      )
      const { surge, unavailable } = fenceposts(strategy, replicas)
      // The ill one is the first to be moved; without a node it is passed over, and a well one is moved for it
      // (machineset_controller.go, startMoveMachines).
      const passedOver = !hasNode && able.some(Boolean) ? 1 : 0
      expect(forecast.lowest).toBeGreaterThanOrEqual(Math.min(replicas - 1, replicas - unavailable) - passedOver)
      expect(forecast.most).toBeLessThanOrEqual(replicas + surge)
      const last = forecast.frames.at(-1)!
      all++
      if (!forecast.stalled) ended++
      if (forecast.stalled) expect(last.done < replicas || last.machines > replicas).toBe(true)
      // All but the one that is not well: nothing is kept, whether it comes back or not.
      const old = sizes.reduce((a, b) => a + b) - new Set(moved(forecast.moves)).size
      if (forecast.stalled) expect(forecast.stalled.startsWith('Every machine has it')).toBe(old === 0)
      else expect(last).toMatchObject({ available: replicas, machines: replicas, done: replicas })
    }),
    { numRuns: 2_000 },
  )
  // Both are played: where it is replaced, it goes first; where the others move in place, nobody knows what it waits for.
  expect(ended).toBeGreaterThan(all / 4)
  expect(ended).toBeLessThan(all)
}, 120_000)
