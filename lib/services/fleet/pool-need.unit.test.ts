import { expect, it } from 'vitest'
import { besidesAsked } from './pool-need'

it('leaves out a pool whose approval is asked for, but for what is wrong with its nodes', () => {
  const pool = (id: string, more = {}) => ({ id, degraded: false, stuck: 0, ...more })
  const pools = [pool('a'), pool('b', { stuck: 1 }), pool('c', { degraded: true }), pool('d'), pool('e')]
  const asked = ['a', 'b', 'c'].map((groupId) => ({ groupId, state: 'waiting' }))
  const ids = besidesAsked(pools, [...asked, { groupId: 'd', state: 'rejected' }]).map(({ id }) => id)
  expect(ids).toEqual(['b', 'c', 'd', 'e'])
})
