import { expect, it } from 'vitest'
import type { PoolChange } from '../pools/open-change'
import { besidesAsked } from './pool-need'

const pool = (id: string, more = {}) => ({ id, degraded: false, stuck: 0, certExpiry: null as Date | null, ...more })

it('leaves out a pool whose approval is asked for, but for what is wrong with its nodes', () => {
  const pools = [pool('a'), pool('b', { stuck: 1 }), pool('c', { degraded: true }), pool('d'), pool('e')]
  const asked = ['a', 'b', 'c'].map((groupId) => ({ groupId, state: 'waiting' }))
  const ids = besidesAsked(pools, [...asked, { groupId: 'd', state: 'rejected' }], new Map()).map(({ id }) => id)
  expect(ids).toEqual(['b', 'c', 'd', 'e'])
})

it('leaves out what is approved and goes by itself before the certificate expires', () => {
  const goes = (goesByItself: boolean, opens: string | null, isOpen = false) =>
    ({ goesByItself, standing: { timing: { open: isOpen, opens, besides: [] } } }) as unknown as PoolChange
  const certExpiry = new Date('2027-01-17T00:00:00Z')
  const open = new Map([
    ['soon', goes(true, '2026-11-28T21:00:00.000Z')],
    ['open', goes(true, null, true)],
    // Nobody knows when its wave begins.
    ['wave', goes(true, null)],
    ['stuck', goes(true, null)],
    ['late', goes(true, '2027-02-01T21:00:00.000Z')],
    ['asked', goes(false, null)],
  ])
  const pools = [...open.keys()].map((id) => pool(id, { certExpiry, stuck: id === 'stuck' ? 1 : 0 }))
  expect(besidesAsked(pools, [], open).map(({ id }) => id)).toEqual(['wave', 'stuck', 'late', 'asked'])
})
