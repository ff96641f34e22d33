import { expect, test } from 'vitest'
import type { Selection } from '@/lib/domain/policies'
import type { Waved } from './membership'
import type { Place } from './place'
import { mayBeFor, waveOf } from './where'

const group = { cluster: 'm', workloadCluster: 'atlas', namespace: 'prod', kind: 'MachineDeployment', name: 'a' }
const place = {
  policyId: 'p',
  version: 1,
  name: 'next',
  index: 1,
  of: 2,
  state: 'waits',
  why: null,
  opens: null,
} as Place
const of = (id: string, select: Selection): Waved => ({
  ...{ policy: { id, name: id, version: 2 }, select, bounds: [], groups: [] },
  waves: [{ name: 'canary' }, { name: 'next' }],
})
/** Where a group that p placed is by these policies, in that which is asked. */
const where = (all: Record<string, Selection>, id: string) =>
  waveOf(of(id, all[id]!), { place, group }, new Map(Object.entries(all)))

const BY_LABELS = { names: ['a'], labels: { stage: 'prod' } }

test.each<[string, Record<string, Selection>, number | null, number | null]>([
  ['which is for it still', { p: { names: ['a'] }, q: {} }, 1, null],
  ['which may be for it by its labels', { p: BY_LABELS, q: {} }, 1, null],
  ['which does not name it any more: in those that may be for it', { p: { names: ['b'] }, q: BY_LABELS }, null, 1],
  ['and no other is for it', { p: { names: ['b'] }, q: { namespaces: ['dev'] } }, null, null],
])('what nobody knows anything of now was placed by a policy %s', (_, all, inP, inQ) => {
  expect([where(all, 'p'), where(all, 'q')]).toEqual([inP, inQ])
})

test('what a policy is for is looked into once, however many groups are asked about', () => {
  let looked = 0
  const select: Selection = {
    get names() {
      looked++
      return ['a', 'c*']
    },
  }
  expect(['a', 'b', 'c1', 'b'].map((name) => mayBeFor(select, { ...group, name }))).toEqual([true, false, true, false])
  expect(looked).toBe(1)
})
