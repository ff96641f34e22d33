import { describe, expect, test } from 'vitest'
import type { Level, Risk } from '@/lib/domain/health-checks'
import type { CheckView, RemediationView } from '@/lib/services/remediation/view'
import {
  amissWords,
  beforeWords,
  comingUpWords,
  dangersOf,
  dangerWords,
  joinWords,
  measuredWords,
  skippedWords,
  thenWords,
  uncountedWords,
  wereWords,
  whenWords,
} from './remediation-words'

const risk = (more: Partial<Risk> = {}): Risk => ({
  ...{ on: 'node', type: 'Ready', status: 'Unknown', seconds: 300, level: 'possible', longer: 2 },
  ...more,
})
const check = (level: Level, risks: Risk[], more: Partial<CheckView> = {}): CheckView => ({
  ...{ name: 'c', machines: 3, risks, level, idle: null, external: null, startupSeconds: 600 },
  ...more,
})
const view = (checks: CheckView[], updates: Partial<RemediationView['updates']> = {}): RemediationView => ({
  ...{
    checks,
    ...{ soon: [], soonMore: 0 },
    keptHeld: false,
    ill: [],
    were: [],
    before: null,
    former: [],
    uncounted: { accepted: 0, before: 0 },
    skips: null,
    now: 0,
    refused: null,
    others: 0,
    cannot: null,
  },
  updates: { measured: 12, from: 'group', longest: 720_000, ...updates },
})

test('the worst comes first; what would do nothing is no danger', () => {
  const all = [
    check('unknown', [risk()], { name: 'unknown' }),
    check('unlikely', [risk()], { name: 'unlikely' }),
    check('expected', [risk()], { name: 'paused', idle: 'paused' }),
    check('expected', [risk()], { name: 'expected' }),
  ]
  expect(dangersOf(view(all)).map(({ name }) => name)).toEqual(['expected', 'unknown'])
  const happened = {
    ...view([...all, check('unlikely', [], { name: 'none' })]),
    were: [{ name: 'm', updated: false, remediated: false, marked: false }],
  }
  expect(dangersOf(happened).map(({ name }) => name)).toEqual(['expected', 'unknown', 'unlikely'])
})

test.each<[string, CheckView, string]>([
  [
    'both ways not to be ready',
    check('possible', [risk({ status: 'False' }), risk()]),
    'deletes a machine whose node’s condition Ready is False or Unknown for more than 5 min.',
  ],
  [
    'a condition of its own, and only what is as likely',
    check('expected', [
      risk({ on: 'machine', type: 'Updating', status: 'True', seconds: 90, level: 'expected' }),
      risk(),
    ]),
    'deletes a machine whose own condition Updating is True for more than 1 min 30 s.',
  ],
  [
    'at once, and by something else',
    check('possible', [risk({ seconds: 0 })], { external: 'RebootTemplate' }),
    'hands a machine to its RebootTemplate whose node’s condition Ready is Unknown at all.',
  ],
])('when: %s', (_what, given, words) => expect(whenWords(given)).toBe(words))

describe('what was measured', () => {
  test.each<[string, CheckView, Partial<RemediationView['updates']>, string]>([
    [
      'from the change on',
      check('expected', [risk({ on: 'machine', type: 'UpToDate', status: 'False', level: 'expected' })]),
      { measured: 0 },
      'That is so from the change on, also while it waits.',
    ],
    ['nothing', check('unknown', [risk()]), { measured: 0 }, 'How long an update takes here nobody has measured.'],
    [
      'one',
      check('unknown', [risk()]),
      { measured: 1, longest: 60_000 },
      '1 update of this group took at most 1 min, but for those that stood still, or were approved anew, in between; for how long a node is away in one nobody has measured.',
    ],
    [
      'those of others',
      check('unknown', [risk({ on: 'machine', type: 'Updating', status: 'True', level: 'unknown' })]),
      { from: 'cluster', longest: 10_000 },
      '12 updates of such groups here took at most 10 s, but for those that stood still, or were approved anew, in between; too few were of this group, by the updaters of this change.',
    ],
    [
      'all the while',
      check('expected', [risk({ level: 'expected' })]),
      {},
      '2 of 12 updates of this group took longer, up to 12 min; it is so for the whole of an update.',
    ],
    [
      'not before this change',
      check('unlikely', [risk({ level: 'unlikely', longer: 0 })]),
      {},
      'No update of this group by its updaters took so long before.',
    ],
    [
      'perhaps',
      check('possible', [risk()]),
      { from: 'cluster' },
      '2 of 12 updates of such groups here took longer, up to 12 min; for how long it is so in an update nobody has measured.',
    ],
  ])('%s', (_what, given, updates, words) => expect(measuredWords(given, view([given], updates))).toBe(words))
})

test('what happened in this change', () => {
  const were = (name: string, updated = false, remediated = false, marked = false) => ({
    ...{ name, updated, remediated, marked },
  })
  expect(wereWords([were('a')])).toEqual(['a was found ill in the middle of its update.'])
  expect(wereWords(['a', 'b', 'c', 'd'].map((name) => were(name)))).toEqual([
    'a, b, c and 1 more were found ill in the middle of their update.',
  ])
  expect(wereWords([were('a', true, true)])).toEqual([
    'a was found ill after its update.',
    '1 of them is remediated: deleted, and not counted as updated.',
  ])
  expect(wereWords([were('a', false, true, true)])).toEqual([
    'a was marked by somebody to be remediated in the middle of its update.',
    '1 of them is remediated: deleted, and not counted as updated.',
  ])
  expect(wereWords([were('a', true, true), were('b', false, true), were('c')])).toEqual([
    'a was found ill after its update.',
    'b, c were found ill in the middle of their update.',
    '2 of them are remediated: deleted, and not counted as updated.',
  ])
  // As its outcome counts them.
  expect(wereWords([were('a', false, true, true), { ...were('b', false, true, true), waited: true }])).toEqual([
    'a was marked by somebody to be remediated in the middle of its update.',
    'b was marked by somebody to be remediated before its update.',
    '1 of them is remediated: deleted, and not counted as updated.',
    '1 of them is deleted before that: not by the rollout.',
  ])
})

test('why a limit of failures counts fewer', () => {
  expect(uncountedWords({ accepted: 0, before: 0 })).toEqual([])
  expect(uncountedWords({ accepted: 1, before: 1 })).toEqual([
    '1 of them failed before somebody accepted that, which does not count any more.',
    '1 of them came before a policy counted what fails, which does not count.',
  ])
})

test('how long a new machine has', () => {
  expect(joinWords(check('unknown', [risk()]))).toBe('A new machine has 10 min to join.')
  expect(joinWords(check('unknown', [risk()], { startupSeconds: null }))).toBe('')
})

test('what may be deleted before it joined, and by which check', () => {
  expect(comingUpWords({ machines: 2, checks: [{ name: 'c', seconds: 1_200 }] })).toBe(
    '2 machines are still coming up: where one of them does not join in time, the start-up time-out of the health check c (20 min) may have it deleted, and asks nobody.',
  )
})

test('what was found ill before its turn is no danger of its update', () => {
  const were = [{ name: 'a', updated: false, remediated: true, marked: false, waited: true }]
  expect(wereWords(were)[0]).toBe('a was found ill before its update.')
  expect(dangerWords({ ...view([check('unlikely', [risk({ level: 'unlikely' })])]), were })).toBeNull()
})

test('how many are skipped', () => {
  expect(skippedWords(0)).toBe('None is at the moment.')
  expect(skippedWords(1)).toContain('1 machine is skipped at the moment')
})

test.each<[string, Level, { marked: boolean }[], string | null]>([
  ['nobody knows', 'unknown', [], 'Nobody knows whether a health check would'],
  ['shown by what was measured', 'expected', [], 'A health check would have'],
  ['one did it here', 'unknown', [{ marked: false }], 'A health check may have'],
  ['one did it here, though that is unlikely', 'unlikely', [{ marked: false }], 'A health check may have'],
  // That says nothing of any check.
  ['somebody did it by hand', 'unknown', [{ marked: true }], 'Nobody knows whether'],
  ['somebody did it by hand, and that is unlikely', 'unlikely', [{ marked: true }], null],
])('how likely it is: %s', (_what, level, were, words) => {
  const happened = were.map((one) => ({ name: 'm', updated: false, remediated: true, ...one }))
  const said = dangerWords({ ...view([check(level, [risk({ level })])]), were: happened })
  if (words) expect(said).toContain(words)
  else expect(said).toBeNull()
})

test('what a check found ill in its update here, and is not gone yet, is evidence as well', () => {
  const ill = [{ name: 'm', words: '', fate: 'It is being deleted.', marked: false }]
  const of = (more: object) =>
    dangerWords({ ...view([check('unknown', [risk({ level: 'unknown' })])]), ill: [{ ...ill[0]!, ...more }] })
  expect(of({ inUpdate: 'lost' })).toContain('A health check may have')
  expect(of({ inUpdate: 'still', marked: true })).toContain('Nobody knows whether')
  expect(of({})).toContain('Nobody knows whether')
})

test('what a check did in an update of this group before is evidence, whatever was measured', () => {
  const before = { found: 4, remediated: 4, at: '2026-11-20T10:00:00.000Z' }
  const of = (level: Level, more: object = {}) => ({ ...view([check(level, [risk({ level })])]), before, ...more })
  for (const level of ['unknown', 'unlikely', 'possible'] as const)
    expect(dangerWords(of(level))).toBe(
      'A health check found machines of this group ill in an update before, and may do so again.',
    )
  expect(dangerWords(of('expected'))).toContain('A health check would have')
  expect(beforeWords(before)).toBe(
    '4 machines were found ill in the middle of their update, or right after it, and deleted, in changes of this group before this one.',
  )
  expect(beforeWords({ ...before, remediated: 3 })).toContain('right after it, and 3 of them deleted, in')
  expect(beforeWords({ ...before, found: 1, remediated: 0 })).toContain('1 machine was found ill in the middle of its')
  expect(measuredWords(check('unknown', [risk()]), of('unknown'))).toMatch(
    / Those that were deleted are not among them\.$/,
  )
  // The check is idle by now.
  expect(dangerWords({ ...of('unknown'), checks: [check('unknown', [risk()], { idle: 'paused' })] })).toBeNull()
})

test('of what is not well now it is said by which condition, and what comes of that', () => {
  const one = { name: 'm', check: 'c', since: '2026-11-22T12:00:00.000Z', at: '2026-11-22T12:05:00.000Z' }
  const node = { ...one, on: 'node', type: 'Ready', status: 'Unknown', updating: true } as const
  expect(amissWords(node)).toBe('m, which is being updated: the condition Ready of its node is Unknown since')
  expect(amissWords({ ...node, on: 'machine', type: 'Updating', status: 'True', updating: false })).toBe(
    'm: its own condition Updating is True since',
  )
  expect(thenWords({ keptHeld: false })).toBe(', and may have it remediated.')
  expect(thenWords({ keptHeld: true })).toBe('; it is remediated only once its group is not held.')
})
