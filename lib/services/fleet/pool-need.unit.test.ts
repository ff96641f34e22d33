import { expect, it, vi } from 'vitest'
import type { Condition } from '@/lib/domain/skew/types'
import type { PoolChange } from '../pools/open-change'
import { besidesAsked } from './pool-need'

const pool = (id: string, more = {}) => ({
  id,
  degraded: false,
  stuck: 0,
  example: null as string | null,
  certExpiry: null as Date | null,
  conditions: [] as Condition[],
  ...more,
})

it('leaves out a pool whose approval is asked for, but for what is wrong with its nodes', () => {
  const pools = [pool('a'), pool('b', { stuck: 1 }), pool('c', { degraded: true }), pool('d'), pool('e')]
  const asked = ['a', 'b', 'c'].map((groupId) => ({ groupId, state: 'waiting' }))
  const ids = besidesAsked(pools, [...asked, { groupId: 'd', state: 'rejected' }], [], new Map()).map(({ id }) => id)
  expect(ids).toEqual(['b', 'c', 'd', 'e'])
})

it('leaves out what is approved and goes by itself before the certificate expires', () => {
  const goes = (goesByItself: boolean, opens: string | null, isOpen = false, more = {}) =>
    ({ goesByItself, standing: { timing: { open: isOpen, opens, besides: [], ...more } } }) as unknown as PoolChange
  const certExpiry = new Date('2027-01-17T00:00:00Z')
  vi.useFakeTimers({ now: new Date('2026-11-28T12:00:00Z') })
  const wave = (place: object) =>
    goes(true, null, false, { why: 'wave', wave: { place: { state: 'waits', ...place } } })
  const open = new Map([
    ['soon', goes(true, '2026-11-28T21:00:00.000Z')],
    ['open', goes(true, null, true)],
    // Nobody knows when its wave begins; what it waits for is under way.
    ['wave', wave({})],
    ['left', wave({ needsPerson: true })],
    ['never', goes(true, null)],
    ['stuck', goes(true, null)],
    ['late', goes(true, '2027-02-01T21:00:00.000Z')],
    ['asked', goes(false, null)],
  ])
  const pools = [...open.keys()].map((id) => pool(id, { certExpiry, stuck: id === 'stuck' ? 1 : 0 }))
  expect(besidesAsked(pools, [], [], open).map(({ id }) => id)).toEqual(['left', 'never', 'stuck', 'late', 'asked'])
  // What stays below somebody's own pause does not go by itself.
  const kept = new Map([['soon', { ...goes(true, '2026-11-28T21:00:00.000Z'), id: 'c' }]])
  const one = [pool('soon', { certExpiry })]
  expect(besidesAsked(one, [], [], kept).length).toBe(0)
  expect(besidesAsked(one, [], [], kept, new Map([['c', 'group' as const]]))).toEqual(one)
  // A wave may take longer than what is left.
  vi.setSystemTime(new Date('2027-01-05T00:00:00Z'))
  expect(besidesAsked(pools, [], [], open).map(({ id }) => id)).toContain('wave')
  vi.useRealTimers()
})

it('leaves out what its operator gets over by itself, unless a certificate expires soon', () => {
  const message =
    'Failed to render configuration for pool w: Operation cannot be fulfilled: the object has been modified'
  const lastTransitionTime = new Date().toISOString()
  const conditions = [{ type: 'RenderDegraded', status: 'True', message, lastTransitionTime }]
  const at = (days: number) => new Date(Date.now() + days * 86_400_000)
  const pools = [pool('soon', { certExpiry: at(1) }), pool('late', { certExpiry: at(60) }), pool('none')]
  const passing = pools.map((p) => ({ ...p, degraded: true, conditions }))
  expect(besidesAsked(passing, [], [], new Map()).map(({ id }) => id)).toEqual(['soon'])
})

it('leaves out a pool with a node on which its change says that it is stuck, unless it is degraded by more', () => {
  const is = (type: string) => ({ type, status: 'True' })
  const nodes = [is('NodeDegraded'), is('Degraded')]
  const one = { degraded: true, stuck: 1, example: 'w-0: full.', conditions: nodes }
  const pools = [
    pool('told', one),
    pool('more', { ...one, conditions: [...nodes, is('RenderDegraded')] }),
    // What is wrong with another node nobody says but the pool.
    pool('both', { ...one, stuck: 2 }),
    pool('other', { ...one, example: 'w-9: drifted.' }),
    pool('untold', one),
  ]
  const told = ['told', 'more', 'both', 'other'].map((groupId) => ({ groupId, stuckReason: 'w-0: it is full.' }))
  const left = besidesAsked(pools, [], told, new Map()).map(({ id }) => id)
  expect(left).toEqual(['more', 'both', 'other', 'untold'])
})
