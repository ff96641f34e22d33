import { describe, expect, it, test } from 'vitest'
import { uncalledSentence } from '@/lib/domain/changes/uncalled'
import type { ChangeMachine } from '@/lib/services/changes/get-change'
import { behindLines, failedSince, foretoldOf, goneWords, stepOf, verdictOf, wayOf, workersOf } from './machine-words'

const machine = (verdict: string | null, state?: string, more: Partial<ChangeMachine['progress']> = {}) => ({
  verdict,
  state: 'ready',
  progress:
    state === undefined
      ? null
      : { state, predicted: null, message: null, startedAt: '2026-11-21T15:59:29.000Z', finishedAt: null, ...more },
})
const untouched = { startedAt: null }

describe('the way of a machine', () => {
  it.each([
    ['waits, not part of it yet', machine('in-place'), false, 'in-place'],
    ['waits for its turn', machine('in-place', 'waiting'), false, 'in-place'],
    ['is being updated: its new spec is written already', machine('up-to-date', 'updating'), false, 'in-place'],
    ['is through, the others are not', machine('up-to-date', 'done'), false, 'in-place'],
    ['was as it should be', machine('up-to-date', 'done', untouched), false, 'up-to-date'],
    ['is drained', machine('replace', 'deleting'), false, 'replace'],
    ['came into being', machine('up-to-date', 'created'), false, null],
    ['was predicted otherwise', machine('up-to-date', 'deleted', { predicted: 'replace' }), true, 'replace'],
    ['was updated, and a later change wants it replaced', machine('replace', 'done'), true, 'in-place'],
    [
      'was foretold to stay as it is',
      machine('up-to-date', 'done', { ...untouched, predicted: 'up-to-date' }),
      true,
      'up-to-date',
    ],
    [
      'was foretold to be replaced',
      machine('in-place-with-spare', 'waiting', { predicted: 'replace' }),
      false,
      'replace',
    ],
    [
      'was on its way up before it was seen',
      { ...machine('up-to-date', 'done', untouched), state: 'provisioning' },
      false,
      null,
    ],
    ['was never reached', machine('replace', 'waiting'), true, null],
    ['was never part of it', machine('replace'), true, null],
  ])('%s', (_, given, over, way) => expect(wayOf(given, over)).toBe(way))
  it('of what waits again is what would become of it now', () => {
    const held = machine('replace', 'waiting', { ...untouched, predicted: 'in-place' })
    expect(wayOf(held, false, true)).toBe('replace')
    expect(wayOf(machine('up-to-date', 'done', { predicted: 'in-place' }), false, true)).toBe('up-to-date')
    expect(wayOf(machine('replace', 'updating', { predicted: 'in-place' }), false, true)).toBe('in-place')
    const late = { predicted: 'in-place', late: 'not Ready in time' }
    expect(wayOf(machine('up-to-date', 'done', late), false, true)).toBe('in-place')
  })
})

describe('how far a machine has come', () => {
  it.each([
    [machine('in-place'), false, 'waiting for its turn'],
    [machine('in-place', 'waiting'), false, 'waiting for its turn'],
    [machine('in-place', 'waiting'), true, 'not touched'],
    [machine('in-place'), true, 'not touched'],
    [machine('up-to-date', 'done', untouched), false, 'not touched'],
    [machine('up-to-date', 'done'), true, '✓ updated in place'],
    [machine('up-to-date', 'created', { late: 'not Ready in time' }), false, '✕ failed: not Ready in time'],
    [machine('up-to-date', 'done', { late: 'not Ready in time' }), true, '✕ failed: not Ready in time'],
    [machine('up-to-date', 'deleting', { ill: true }), false, 'found ill, being deleted'],
    [machine('up-to-date', 'deleted', { ill: true }), true, '✕ remediated: found ill, and deleted'],
    [machine('up-to-date', 'deleting', { ill: true, marked: true }), false, 'marked to be remediated, being deleted'],
    [machine('up-to-date', 'deleted', { ill: true, marked: true }), true, '✕ remediated: somebody had marked it'],
    [machine(null, 'deleted', { ...untouched, ill: true }), false, '✕ found ill and deleted before its update'],
    [machine('up-to-date', 'updating', { ill: true }), false, 'updating'],
    [{ ...machine('up-to-date', 'created'), state: 'provisioning' }, false, 'coming up'],
    [{ ...machine('up-to-date', 'created'), state: 'not-ready' }, false, 'coming up'],
    [{ ...machine('up-to-date', 'created'), state: 'unknown' }, false, 'coming up'],
    [
      { ...machine('up-to-date', 'created', { failedFor: 'not Ready in time' }), state: 'provisioning' },
      false,
      'not Ready in time, which was accepted',
    ],
    [
      { ...machine('up-to-date', 'created', { throughAt: '2026-11-21T16:09:29.000Z' }), state: 'not-ready' },
      false,
      'new, and not ready now',
    ],
    [{ ...machine('up-to-date', 'created'), state: 'not-ready' }, true, '✓ new'],
    [
      { ...machine('up-to-date', 'created', { failedFor: 'not Ready in time' }), state: 'provisioning' },
      true,
      '✕ failed: not Ready in time',
    ],
    [
      machine('up-to-date', 'created', { failedFor: 'not Ready in time', throughAt: '2026-11-21T16:09:29.000Z' }),
      true,
      '✓ new',
    ],
    [machine('up-to-date', 'created'), false, '✓ new'],
    [machine('up-to-date', 'updating', { message: 'Its updaters are done, but x.' }), false, 'not through yet'],
    [machine('up-to-date', 'updating', { updater: null, updatersDone: ['os'] }), false, 'updating'],
    [{ ...machine('up-to-date', 'updating', { updater: null }), state: 'updating' }, false, 'updating'],
    [{ ...machine('in-place', 'waiting'), state: 'updating' }, false, 'updating'],
    [{ ...machine('in-place', 'waiting'), state: 'provisioning' }, false, 'coming up, then waits for its turn'],
    [machine('up-to-date', 'done', { ...untouched, predicted: 'up-to-date' }), true, 'not touched'],
    [{ ...machine('up-to-date', 'done', untouched), state: 'provisioning' }, false, 'coming up'],
  ])('%j, over: %s', (given, over, words) => expect(stepOf(given, over)).toBe(words))
})

test.each<[string, Partial<ChangeMachine['progress']>, string]>([
  ['others', { byOthers: true }, '✕ deleted, not by the rollout'],
  ['nobody can tell', { byOthers: true, unforetold: true }, '✕ deleted, not foretold'],
  [
    'nobody can tell, and it was ill',
    { byOthers: true, unforetold: true, unwell: 'EtcdMemberHealthy is false' },
    '✕ deleted, not foretold; it was not well',
  ],
  ['a health check', { byOthers: true, ill: true }, '✕ remediated: found ill, and deleted'],
  ['what was wanted before', { byOthers: true, early: true }, 'deleted, since before this change'],
  ['the rollout', {}, '✓ deleted'],
])('who deleted it: %s', (_, more, words) => expect(stepOf(machine(null, 'deleted', more), false)).toBe(words))

test('one that was going when its change was written is told so', () => {
  const early = { byOthers: true, early: true, startedAt: null }
  expect(stepOf(machine(null, 'deleting', early), false)).toBe('being deleted since before this change')
  expect(stepOf(machine(null, 'deleting', early), true, true)).toBe('was being deleted at the disconnect')
  expect(goneWords(machine(null, 'deleted', early), true)).toBe('deleted, since before this change')
})

test('what failed after it had stopped by itself is named', () => {
  const at = (n: number) => `2026-11-21T16:0${n}:00.000Z`
  const by = (policy: string) => ({ policy, at: at(2) })
  const failed = (name: string, n: number) => ({
    ...machine(null, 'failed', { failedFor: 'its disk is full', failedAt: at(n) }),
    name,
  })
  expect(failedSince([failed('a', 1), { ...machine('in-place', 'waiting'), name: 'w' }], by('p'))).toBe('')
  expect(failedSince([failed('a', 1), failed('b', 3)], by('p'))).toBe('1 more failed since (b: its disk is full). ')
  expect(
    failedSince(
      ['b', 'c', 'd', 'e'].map((name) => failed(name, 3)),
      by('p'),
    ),
  ).toMatch(/^4 more .*; 1 more\). $/)
  // Counted as done: not for failures.
  expect(failedSince([failed('b', 3)], by(''))).toBe('1 failed since (b: its disk is full). ')
})

test('held in the middle, what its rollout deleted keeps the verdict by which it went', () => {
  const gone = (more: object) => ({ ...machine(null, 'deleted', more), state: null })
  const waits = { state: 'waiting' as const }
  expect(verdictOf(gone({ predicted: 'replace' }), waits)).toBe('replace')
  expect(verdictOf(gone({}), waits)).toBe('replace')
  expect(verdictOf(gone({ ...untouched, predicted: 'replace' }), waits)).toBeNull()
  expect(verdictOf(gone({ predicted: 'replace' }), { state: 'running' })).toBe('replace')
})

test('what others deleted went no way of this change', () => {
  expect(wayOf(machine(null, 'deleted', { byOthers: true }), true)).toBeNull()
  expect(wayOf(machine(null, 'deleted'), true)).toBe('replace')
})

test.each<[string, Partial<ChangeMachine['progress']>, string]>([
  ['replaced', {}, 'no longer there'],
  ['deleted by others', { byOthers: true }, 'deleted, not by the rollout'],
  ['found ill before its turn', { startedAt: null, ill: true }, 'found ill and deleted before its update'],
  ['remediated', { ill: true }, 'found ill and deleted in the middle of its update'],
  ['remediated afterwards', { ill: true, updated: true }, 'found ill and deleted after its update'],
  [
    'marked by hand',
    { ill: true, marked: true },
    'marked by somebody to be remediated, and deleted in the middle of its update',
  ],
  ['gone when it was through', { state: 'done' }, 'gone since'],
])('what became of one that is gone: %s', (_, more, words) =>
  expect(goneWords(machine(null, 'deleted', more), true)).toBe(words),
)

it('a node that stands there, and only left its pool, is not gone', () => {
  const left = { ...machine(null, 'done'), isElsewhere: true }
  expect(goneWords(left, true)).toBe('there, and not in this pool now')
  expect(goneWords(left, false)).toBe('not known any more')
})

it('what was half-way, or not touched, when its cluster was disconnected was so then', () => {
  const at = '2026-11-21T15:59:29.000Z'
  const then = (state?: string, more = {}) => stepOf({ ...machine(null, state, more), state: null }, true, true)
  expect(then('created')).toBe('was being made at the disconnect')
  expect(then('created', { finishedAt: at })).toBe('✓ new')
  expect(then('updating')).toBe('was being updated at the disconnect')
  expect(then('deleting')).toBe('was being deleted at the disconnect')
  expect(then('waiting', untouched)).toBe('not touched, as Drydock saw it last')
})

it('of a cluster that nobody asks any more, no machine is said to be gone but what the change itself deleted', () => {
  expect(goneWords(machine(null, 'deleted', { state: 'done' }), false)).toBe('not known any more')
  expect(goneWords(machine(null, 'deleted', {}), false)).toBe('no longer there')
})

describe('machines whose updaters are done, and that are not what is wanted', () => {
  const row = (name: string) => ({
    ...machine('in-place', 'updating', {
      updater: null,
      updatersDone: ['os'],
      message: 'Its updaters are done, but x.',
    }),
    name,
  })
  it('are named, as far as they are few', () => {
    expect(behindLines([row('a'), { ...machine('in-place', 'updating', { updater: 'os' }), name: 'b' }])).toEqual([
      'a: its updaters are done, but x.',
    ])
    expect(behindLines(['a', 'b', 'c', 'd', 'e'].map(row)).slice(2)).toEqual([
      'c: its updaters are done, but x.',
      'So it is with 2 more.',
    ])
  })
})

describe('who works on a machine', () => {
  const done = ['kubelet-updater']
  it.each([
    ['updating', 'kubelet-updater', [], 'kubelet-updater at work'],
    ['updating', 'os-updater', done, 'kubelet-updater done, os-updater at work'],
    ['failed', 'os-updater', done, 'kubelet-updater done, os-updater failed'],
    ['updating', null, done, 'kubelet-updater done'],
    ['updating', null, [], null],
    ['done', null, done, null],
  ])('%s by %s after %s', (state, updater, updatersDone, words) =>
    expect(workersOf(machine('in-place', state, { updater, updatersDone }).progress!)).toBe(words),
  )

  it('is nobody while Cluster API’s calls do not get through', () => {
    const message = uncalledSentence('v1.34.2', 'nobody was called')
    const { progress } = machine('in-place', 'updating', { updater: 'os', updatersDone: done, message })
    expect(workersOf(progress!)).toBe('kubelet-updater done')
  })
})

describe('what was foretold, when it is over', () => {
  const decided = (mode: string, spare: number) =>
    ({
      decision: { mode },
      outlook: { inPlace: { counts: { 'in-place-with-spare': spare } } },
    }) as Parameters<typeof foretoldOf>[1]
  it.each([
    ['deleted, in place with a spare', machine(null, 'deleted'), decided('in-place', 2), 'in-place-with-spare'],
    ['updated, in place with a spare', machine('up-to-date', 'done'), decided('in-place', 2), 'in-place-with-spare'],
    ['new, which nobody foretold by name', machine('up-to-date', 'created'), decided('in-place', 2), null],
    [
      'deleted, and that was said of it',
      machine(null, 'deleted', { predicted: 'replace' }),
      decided('in-place', 2),
      'replace',
    ],
    [
      'kept, and that was said of it',
      machine(null, 'done', { predicted: 'in-place' }),
      decided('in-place', 2),
      'in-place',
    ],
    [
      'new, and deleted by others since',
      machine(null, 'deleted', { byOthers: true, updated: true }),
      decided('in-place', 2),
      null,
    ],
    [
      'updated, and deleted by others since',
      machine(null, 'deleted', { byOthers: true, updated: true, updatersDone: ['os'] }),
      decided('in-place', 2),
      'in-place-with-spare',
    ],
    ['deleted, replacing', machine(null, 'deleted'), decided('replace', 2), 'replace'],
    ['not touched', machine('up-to-date', 'done', untouched), decided('in-place', 2), null],
    ['never reached', machine('in-place', 'waiting'), decided('in-place', 2), null],
  ])('%s', (_, given, change, way) => expect(foretoldOf(given, change)).toBe(way))
})
