import { expect, test } from 'vitest'
import type { Waved } from './membership'
import type { Newest } from './newest'
import { membersByWish, summaryOf } from './run-members'

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
  ['under way, Ada had it not wait', { state: 'running', overrideBy: 'Ada' }],
  ['its Cluster is paused by somebody', { state: 'running', moved: true, theirs: 'cluster' }],
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

test('what a group has from before, and does not count as it is, says when it does', () => {
  const has = (over: Partial<Newest>) =>
    membersByWish(waved, { newest: new Map([['g', newest(over)]]) }).get('version v1.35.0')
  const counts = (over: Partial<Newest>) => has(over)?.map(({ state, counts }) => [state, counts])
  expect(counts({ state: 'running', moved: true })).toEqual([['has', 'its rollout is over']])
  expect(counts({})).toEqual([['has', 'what waits there besides is over']])
  const idle = { id: null, wish: null, settled: true }
  expect(counts({ ...idle, available: false })).toEqual([['has', 'all of its machines are available']])
  expect(counts(idle)).toEqual([['there', undefined]])
  expect(has({ empty: true })).toBeUndefined()
  expect(has({ wish: 'version v1.35.0' })).toMatchObject([{ state: 'open' }])
})

test('a run is called by what its groups come from only where that is one version', () => {
  const change = { id: 'c', state: 'waiting', place: null, moved: false }
  const open = (summary: string) => ({ state: 'open' as const, change, summary })
  const [a, b] = [open('v1.33.6 → v1.34.2'), open('v1.34.1 → v1.34.2')]
  expect(summaryOf('version v1.34.2', [a, a])).toBe('v1.33.6 → v1.34.2')
  expect(summaryOf('version v1.34.2', [a, b])).toBe('→ v1.34.2')
  // It keeps its name when some of them are through.
  expect(summaryOf('version v1.34.2', [{ ...a, state: 'through' }, b])).toBe('→ v1.34.2')
  expect(summaryOf('fields x', [a, b])).toBe('v1.33.6 → v1.34.2')
})

test('a pool that wants something newer counts for what it went through, once', () => {
  const had = [{ wish: 'before', exact: 'e', since: 5 }]
  const pools = new Map([['g', [...had, ...had, { wish: 'w', exact: null, since: 4 }]]])
  const members = membersByWish(waved, { newest: new Map([['g', newest({})]]), pools })
  expect(members.get('before')).toMatchObject([{ state: 'through', exact: 'e', since: 5, change: null }])
  expect(members.get('w')).toMatchObject([{ state: 'open' }])
})
