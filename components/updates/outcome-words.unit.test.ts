import { expect, it } from 'vitest'
import type { HullCount } from '@/lib/domain/hull'
import { happenedWords, machinesWords, nothingMoved, progressWords, unforetoldWords } from './outcome-words'
import { change, decided } from './testing'
import { headlineOf } from './words'

const NONE = { updatedInPlace: 0, created: 0, deleted: 0, failed: 0 }

it.each([
  [{}, ''],
  [{ begun: 2, unapproved: 2 }, '2 being updated, 2 nodes began without being let go'],
  [
    { updatedInPlace: 1, begun: 1, unapproved: 1 },
    '1 updated in place, 1 being updated, a node began without being let go',
  ],
  [{ updatedInPlace: 4 }, '4 updated in place'],
])('of what a newer change took the place of it says what had begun: %j', (outcome, words) => {
  const change = { state: 'superseded' as const, outcome: { ...NONE, ...outcome } }
  expect(happenedWords(change)).toBe(words)
  expect(nothingMoved(change)).toBe(words === '')
})

it.each<[string, HullCount[], string]>([
  ['one joined since, and drains', [{ mark: 'in-place', moving: true, count: 1 }], '5 of 6 updated in place'],
  [
    'one waits for its turn, one failed',
    [
      { mark: 'in-place', count: 1 },
      { mark: 'failed', count: 1 },
    ],
    '5 of 7 updated in place',
  ],
  [
    'none is left',
    [
      { mark: 'up-to-date', count: 1 },
      { mark: 'not-ready', count: 1 },
    ],
    '5 of 5 updated in place',
  ],
])('of a pool it counts the nodes that are there: %s', (_, left, words) => {
  const only = { counts: { 'in-place': 5 }, created: 0, deleted: 0, headline: '' }
  const running = change({
    ...{ state: 'running', groupKind: 'MachineConfigPool', decision: decided('in-place') },
    ...{ outcome: { ...NONE, updatedInPlace: 5 }, outlook: { ...change({}).outlook, inPlace: only, replace: only } },
  })
  const hull = { total: 7, cells: null, counts: [{ mark: 'in-place' as const, done: true, count: 5 }, ...left] }
  expect(progressWords({ ...running, hull })).toBe(words)
  expect(progressWords({ ...running, groupKind: 'MachineDeployment', hull })).toBe('5 of 5 updated in place')
})

it('of a pool, what counts as failed though it was updated is not counted twice', () => {
  const only = { counts: { 'in-place': 5 }, created: 0, deleted: 0, headline: '' }
  const outcome = { ...NONE, updatedInPlace: 5 }
  const outlook = { ...change({}).outlook, inPlace: only }
  const counts = [
    { mark: 'failed' as const, count: 1 },
    { mark: 'in-place' as const, done: true, count: 4 },
  ]
  const hull = { total: 5, cells: null, counts, current: { failed: 1, updating: 0 } }
  const stopped = change({ state: 'running', groupKind: 'MachineConfigPool', outcome, outlook })
  expect(progressWords({ ...stopped, hull })).toBe('5 of 5 updated in place')
})

it('what is approved, and waits for its time, is no more said as what would be', () => {
  const words = '3 nodes of worker would take up 2 files, at most 1 at once.'
  const only = { counts: { 'in-place': 3 }, created: 0, deleted: 0, headline: words }
  const outlook = { ...change({}).outlook, only: 'in-place' as const, inPlace: only, replace: only }
  const pool = change({ groupKind: 'MachineConfigPool', groupName: 'worker', outlook })
  const listed = { way: 'in-place' as const, due: true }
  const will = words.replace('would', 'will')
  expect(headlineOf(pool, null, { ...listed, due: false })).toBe(words)
  expect(headlineOf(pool, null, listed)).toBe(will)
  expect(headlineOf({ ...pool, state: 'approved' })).toBe(will)
  // Its window ended when the last of them had begun.
  const before = { inPlace: 2, created: 0, deleted: 0, underWay: 1 }
  const last = { ...outlook, inPlace: { ...only, counts: { 'in-place': 1 } }, before }
  expect(headlineOf({ ...pool, outlook: last, outcome: { ...NONE, updatedInPlace: 2 } }, null, listed)).toBe(
    'Every node of worker has begun, and goes on to its end: 2 of 3 updated in place.',
  )
})

it('of a configuration that is held for whichever node comes, no count of machines stands in the list', () => {
  const held = change({ groupKind: 'MachineConfigPool', machines: 6 })
  const none = { counts: { 'up-to-date': 6 }, created: 0, deleted: 0, headline: 'No node has to.' }
  expect(machinesWords({ ...held, outlook: { ...held.outlook, inPlace: none } })).toBe('none now')
  const some = { ...none, counts: { 'in-place': 6 } }
  expect(machinesWords({ ...held, outlook: { ...held.outlook, inPlace: some } })).toBe(6)
})

it('of a control plane that went in place more than was foretold is called so, beside the numbers that were approved', () => {
  const outcome = {
    ...{ ...NONE, updatedInPlace: 1, created: 1, deleted: 3 },
    ...{ byOthers: 2, byOthersDeleting: 1, madeUp: 1, unforetold: true as const },
  }
  const replace = { counts: { replace: 3 }, created: 3, deleted: 3, headline: '' }
  const inPlace = { counts: { 'in-place': 2, 'up-to-date': 1 }, created: 0, deleted: 1, removed: 1, headline: '' }
  const told = '1 deleted, not foretold, 1 being deleted, not foretold, 1 created, not foretold'
  expect(happenedWords({ outcome })).toBe(`1 updated in place, 1 deleted, ${told}`)
  const decision = decided('in-place')
  expect(progressWords({ outcome, decision, outlook: { inPlace, replace, uncovered: [] } })).toBe(
    `1 of 2 updated in place, 1 of 1 deleted or being deleted, ${told}`,
  )
  expect(unforetoldWords({ outcome })).toMatch(/Cluster API deletes first what is ill.* people delete machines, too/)
  expect(unforetoldWords({ outcome: { ...outcome, byOthers: 0 } })).toBeNull()
})
