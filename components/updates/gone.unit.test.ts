import { expect, it } from 'vitest'
import { goneOf, lostOf } from './gone'

type Now = Parameters<typeof goneOf>[0]
const looked = { fingerprint: 'a', mode: 'in-place' as const }
const newer = { id: 'n1', summary: 'v1.34.2 → v1.34.3' }
const now = (part: object): Now =>
  ({ state: 'waiting', fingerprint: 'a', heldBy: 'latch', decision: null, newer: null, ...part }) as Now

it('leaves alone what can still be decided', () => {
  expect(goneOf(now({}), looked)).toBeNull()
  expect(goneOf(now({ state: 'rejected' }), looked)).toBeNull()
  // Its own decision was not accepted: it can be tried again.
  expect(goneOf(now({ decision: { mode: 'replace', state: 'failed', actorName: 'Ada' } }), looked)).toBeNull()
})

it.each([
  ['another took its place', { state: 'superseded', newer }, /newer change took the place/, { id: 'n1' }],
  ['its group is gone', { state: 'superseded', ended: 'deleted' }, /^Meanwhile its group was deleted: nothing/, null],
  ['its cluster left', { state: 'superseded', ended: 'disconnected' }, /^Meanwhile its cluster was disconnected/, null],
  ['it was changed back', { state: 'reverted' }, /^It was changed back: nothing is left to decide\.$/, null],
  ['it was changed back, and changed again', { state: 'reverted', newer }, /changed back/, { id: 'n1' }],
  ['it is another one now', { fingerprint: 'b' }, /another one now/, 'same'],
  [
    'somebody was faster',
    { state: 'approved', decision: { mode: 'replace', state: 'recorded', actorName: 'Ada' } },
    /^Ada approved it replacing meanwhile\.$/,
    'same',
  ],
  ['somebody took the hold away', { state: 'running', heldBy: 'none' }, /no longer held: under way/, 'same'],
])('says what it is now where %s', (_, part, words, instead) => {
  const gone = goneOf(now(part), looked)
  expect(gone?.message).toMatch(words)
  if (instead && typeof instead === 'object') expect(gone?.instead).toMatchObject(instead)
  else expect(gone?.instead).toBe(instead)
})

it.each([
  ['gathering', { state: 'waiting' }, undefined],
  // With the last one that was missing it goes.
  ['gathering', { state: 'running', heldBy: 'none' }, undefined],
  ['gathering', { state: 'superseded', newer }, /newer change took the place/],
  ['gathering', { state: 'reverted' }, /changed back/],
  ['seen', { state: 'superseded', newer }, undefined],
  ['voided', { state: 'superseded', newer }, /newer change took the place/],
  ['voided', { state: 'waiting' }, /no longer speaks/],
] as const)('what was decided in the sheet, %s, of what is %j now', (state, part, words) => {
  const change = now(part)
  const lost = lostOf({ state }, change, goneOf(change, looked))
  if (words) expect(lost?.message).toMatch(words)
  else expect(lost).toBeNull()
})

it('a rejection of what somebody rejected already is no longer to be made', () => {
  const rejected = now({ state: 'rejected', decision: { mode: 'reject', state: 'seen', actorName: 'Ada' } })
  expect(goneOf(rejected, { ...looked, mode: 'reject' })?.message).toBe('Ada rejected it meanwhile.')
})

it('fewer machines are wanted than were shown: more would be deleted', () => {
  const shown = { ...looked, replicas: 4 }
  expect(goneOf(now({ outlook: { replicas: 1 } }), shown)).toMatchObject({ instead: 'same' })
  expect(goneOf(now({ outlook: { replicas: 1 } }), { ...shown, mode: 'reject' })).toBeNull()
  for (const replicas of [4, 9, undefined]) expect(goneOf(now({ outlook: { replicas } }), shown)).toBeNull()
  expect(goneOf(now({ outlook: { replicas: 1 } }), looked)).toBeNull()
})

it.each(['in-place', 'replace'] as const)('more machines would be deleted %s than were shown', (mode) => {
  const plane = (part: object) => ({ ...now(part), groupKind: 'KubeadmControlPlane' })
  const outlook = (deleted: number) => plane({ outlook: { inPlace: { deleted }, replace: { deleted } } })
  const shown = { ...looked, mode, deletions: 1 }
  expect(goneOf(outlook(2), shown)).toMatchObject({
    ...{ message: '2 machines would be deleted by now, and 1 when this was opened.', instead: 'same' },
  })
  for (const deleted of [0, 1]) expect(goneOf(outlook(deleted), shown)).toBeNull()
  expect(goneOf(outlook(2), { ...shown, mode: 'reject' })).toBeNull()
})

it.each([
  ['2', '100%', true],
  ['2', '3', true],
  ['3', '2', false],
  ['25%', '25%', false],
  ['25%', '3', true],
  ['100%', '"nonsense"', false],
  [undefined, '100%', false],
])('of a pool with %s nodes at once as shown, and %s by now', (maxUnavailable, limit, gone) => {
  const pool = now({ outlook: { pool: { limit, machines: 9 } } })
  const shown = { ...looked, mode: 'in-place' as const, maxUnavailable }
  expect(goneOf(pool, shown)?.message.startsWith('More nodes would go at once by now') ?? false).toBe(gone)
  expect(goneOf(pool, { ...shown, mode: 'reject' })).toBeNull()
})

it('workers that are replaced all go, also those that came by scaling', () => {
  const workers = now({ groupKind: 'MachineDeployment', outlook: { replace: { deleted: 3 } } })
  expect(goneOf(workers, { ...looked, mode: 'replace', deletions: 1 })).toBeNull()
})

it.each<[string, string | null, string | null]>([
  ['what it was approved with stands', 'in-place', null],
  ['it goes no further by that', null, 'Its group is held again: nothing more of it goes by this decision.'],
])('a decision that let some go, and whose group is held again: %s', (_, dueMode, message) => {
  const decided = { state: 'voided', mode: 'in-place', heldAgain: true } as const
  expect(lostOf(decided, { state: 'waiting', dueMode }, null)?.message ?? null).toBe(message)
})
