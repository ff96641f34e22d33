import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planSet, viewOf, type DeletionOrder } from '../index'
import { Pool, type Facts } from './pool'

const facts = fc.record<Facts>(
  {
    ...{ deleting: fc.boolean(), marked: fc.boolean(), updating: fc.boolean(), unhealthy: fc.boolean() },
    ...{ pendingMove: fc.boolean(), remediate: fc.boolean(), hasNode: fc.boolean(), started: fc.boolean() },
    createdAt: fc.integer({ min: 0, max: 3_000_000_000 }),
  },
  { requiredKeys: [] },
)
const scenario = fc.record({
  changes: fc.array(fc.record({ at: fc.nat(7), facts, gone: fc.boolean() }), { maxLength: 12 }),
  replicas: fc.nat(8),
  moves: fc.boolean(),
  order: fc.constantFrom<DeletionOrder>('Random', 'Newest', 'Oldest'),
})

it('whatever happened to its machines, a set does the same as with a plain list of them', () => {
  const now = 3_000_000_000
  fc.assert(
    fc.property(scenario, ({ changes, replicas, moves, order }) => {
      const pool = new Pool('production')
      for (let i = 0; i < 8; i++) pool.add({ name: `m${i}`, createdAt: i * 1000 + 1, hasNode: true, started: true })
      const goal = { replicas, receives: true, order, ...(moves ? { moveTo: 'new' } : {}) }
      for (const { at, facts, gone } of changes) {
        const name = `m${at}`
        if (!pool.get(name)) continue
        if (gone) pool.take(name)
        else pool.change(name, facts)
        const list = [...pool].map((m) => ({ ...m }))
        expect(planSet(goal, pool, now)).toEqual(planSet(goal, viewOf(list), now))
        expect(pool.size).toBe(list.length)
        expect(pool.updating).toBe(list.filter((m) => m.updating).length)
        const available = list.filter((m) => m.started && !m.updating && !m.deleting && !m.unhealthy)
        expect(pool.available).toBe(available.length)
      }
    }),
    { numRuns: 1000 },
  )
})
