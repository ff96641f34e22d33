import { expect, test } from 'vitest'
import type { Waved } from './membership'
import type { Newest } from './newest'
import { membersByWish } from './run-members'

const waved: Waved = {
  ...{ policy: { id: 'p', name: 'p', version: 1 }, select: {}, waves: [], bounds: [] },
  groups: [{ id: 'g', clusterId: 'c', name: 'atlas/payments-prod/workers-a', wave: 0 }],
}
const newest = (over: Partial<Newest>): Newest => ({
  ...{ groupId: 'g', version: 'v1.35.0', settled: false, id: 'c1', state: 'waiting', wish: 'w', wishExact: null },
  ...{
    detectedAt: new Date(0),
    wishedAt: new Date(0),
    summary: 's',
    finishedAt: null,
    dueMode: null,
    pausedAt: null,
    stoppedAt: null,
    stoppedBy: null,
    ...{ unended: null, left: false, atHook: false, letSame: true, empty: false, available: true },
    settling: false,
  },
  ...{ stepWaitsAt: null, wave: null, moved: false, stands: false, fromVersion: null, toVersion: null },
  ...{ lastState: null, lastWish: null, lastExact: null, lastAt: null, ...over },
})
const at = (over: Partial<Newest>) => membersByWish(waved, { newest: new Map([['g', newest(over)]]) }).get('w')?.[0]?.at

test.each<[string, Partial<Newest>]>([
  ['waiting for approval', {}],
  ['approved', { dueMode: 'in-place' }],
  ['begun, and held on its way', { dueMode: 'in-place', moved: true }],
  ['begun, and waiting for approval', { moved: true }],
  ['under way', { state: 'running', moved: true }],
  ['updated, and not Ready yet', { state: 'running', moved: true, settling: true }],
  ['held, and no machine of it waits', { nobody: true }],
  ['rejected', { state: 'rejected', nobody: true }],
  ['approved', { dueMode: 'in-place', nobody: true }],
  ['rejected', { state: 'rejected', moved: true }],
  ['paused', { dueMode: 'in-place', moved: true, pausedAt: new Date(0) }],
])('a group is said to be %s', (words, over) => expect(at(over)).toBe(words))

test('a group whose policy asks nobody is not said to wait for an approval', () => {
  const groups = waved.groups.map((group) => ({ ...group, asksNobody: true as const }))
  const of = (over: Partial<Newest>) =>
    membersByWish({ ...waved, groups }, { newest: new Map([['g', newest(over)]]) }).get('w')?.[0]?.at
  expect(of({})).toBe('held, its policy asks nobody')
  expect(of({ dueMode: 'in-place' })).toBe('approved')
  // What stopped in the middle of it is for people.
  expect(of({ moved: true })).toBe('begun, and waiting for approval')
})

test('a pool that wants something newer counts for what it went through, once', () => {
  const had = [{ wish: 'before', exact: 'e', since: 5 }]
  const pools = new Map([['g', [...had, ...had, { wish: 'w', exact: null, since: 4 }]]])
  const members = membersByWish(waved, { newest: new Map([['g', newest({})]]), pools })
  expect(members.get('before')).toMatchObject([{ state: 'through', exact: 'e', since: 5, change: null }])
  expect(members.get('w')).toMatchObject([{ state: 'open' }])
})
