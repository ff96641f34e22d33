import { expect, test } from 'vitest'
import type { RunDto, WaveDto } from '@/lib/services/waves/list-runs'
import {
  groupsByResume,
  groupsBySkip,
  groupsOfWave,
  groupsWords,
  isSkippable,
  passedOver,
  isSoaking,
  skipWords,
  standsWords,
  stoppedByWords,
  stoppedWith,
  toneOf,
  whyWords,
} from './words'

const wave = (more: Partial<WaveDto>) =>
  ({ state: 'open', skipped: false, wanting: 1, through: 0, waited: true, ...more }) as WaveDto

test.each<[string, Partial<WaveDto>, boolean, string, string]>([
  ['open', {}, false, 'open', 'plain'],
  ['waits', { state: 'waits' }, false, 'waits', 'plain'],
  ['open, and wanted by nobody', { wanting: 0 }, false, 'open, nobody tries it', 'needs'],
  ['open, and wanted by nobody any more', { wanting: 0, was: 1 }, false, 'open, nobody tries it any more', 'needs'],
  [
    'open, and waited for by nobody',
    { wanting: 0, was: 1, waited: false },
    false,
    'open, nobody tries it any more',
    'plain',
  ],
  ['open, and nothing of it goes on by itself', { needsPerson: true }, false, 'open, waits for somebody', 'needs'],
  [
    'open, and left by no machine that waits',
    { needsPerson: true, nobody: true },
    false,
    'open, waits for somebody',
    'needs',
  ],
  ['the same, and waited for by nobody', { nobody: true, waited: false }, false, 'open, no machine waits', 'plain'],
  ['waits for another to soak', { state: 'waits', soaksAfter: 'canary' }, false, 'waits', 'plain'],
  ['open, of a run that somebody stopped', {}, true, 'stopped', 'needs'],
  ['waits, of such a run', { state: 'waits' }, true, 'stopped', 'needs'],
  ['asks somebody', { state: 'waits', asksPerson: true }, false, 'waits for somebody’s word', 'needs'],
  [
    'asks somebody, and all of its groups have begun',
    { state: 'waits', asksPerson: true, allBegun: true },
    false,
    'all of its groups have begun',
    'plain',
  ],
  ['asks somebody, of such a run', { state: 'waits', asksPerson: true }, true, 'stopped', 'needs'],
  ['skipped, of such a run', { skipped: true }, true, 'stopped', 'needs'],
  ['skipped', { skipped: true }, false, 'not waited for', 'plain'],
  [
    'through, and not to soak',
    { state: 'through', skipped: true, through: 1 },
    false,
    'through, not waited for',
    'good',
  ],
  ['through, of such a run', { state: 'through' }, true, 'through', 'good'],
  ['run, and wanted no more', { state: 'waits', wanting: 0, was: 1 }, false, 'was through', 'plain'],
  ['so, after one that is through', { state: 'through', wanting: 0, was: 1 }, false, 'was through', 'good'],
  ['nothing wants it', { state: 'through', wanting: 0 }, true, 'nothing to do', 'good'],
])('a wave that is %s', (_, more, stopped, words, tone) => {
  expect([standsWords(wave(more), stopped), toneOf(wave(more), stopped)]).toEqual([words, tone])
})

test('of a wave that ran, and waits again, it is said what waits', () => {
  const why = 'no group in canary wants it now'
  expect(whyWords({ state: 'waits', wanting: 0, was: 1, why, waited: false })).toBe(
    `what comes to want it again waits: ${why}`,
  )
})

test('of a wave that nobody tries, and nobody waits for, it is not said that others wait', () => {
  const why = 'no group in canary wants it now'
  const of = (waited: boolean) => whyWords({ state: 'open', wanting: 0, why, waited })
  expect(of(true)).toContain('the waves after it wait until')
  expect(of(false)).toBe(`${why}; nothing waits for that`)
  const left = (waited: boolean) => whyWords({ state: 'open', wanting: 2, nobody: true, waited })
  expect(left(true)).toContain('the waves after it wait until somebody lets that go')
  expect(left(false)).toBe('')
})

test('what is not waited for, and not through, is no success; who says so is told what is passed over', () => {
  const canary = { state: 'through', skipped: true, wanting: 2, through: 0 } as const
  expect([standsWords(wave(canary), false), toneOf(wave(canary), false)]).toEqual(['not waited for', 'plain'])
  const open = [
    { name: 'a', at: 'stuck', changeId: '1' },
    { name: 'b', at: '', changeId: '2' },
  ]
  expect(passedOver({ open, wanting: 3, through: 1 })).toEqual([
    'Passed over: 2 of its 3 groups are not through: a (stuck) and b.',
  ])
  expect(passedOver({ open: open.slice(0, 1), wanting: 4, through: 1 })).toEqual([
    'Passed over: 3 of its 4 groups are not through: a (stuck) and 2 more.',
  ])
  expect(passedOver({ open: [], wanting: 2, through: 2 })).toEqual([])
})

test('who stops all waves is told which groups are not through, of all waves', () => {
  const [a, b] = [
    { name: 'a', at: 'running', changeId: null },
    { name: 'b', at: '', changeId: null },
  ]
  expect(
    stoppedWith([
      { open: [a], wanting: 2, through: 1 },
      { open: [b], wanting: 3, through: 0 },
    ]),
  ).toEqual(['4 groups are not through: a (running), b and 2 more.'])
  expect(stoppedWith([{ open: [], wanting: 2, through: 2 }])).toEqual([])
})

test('of a wave that nobody wants it is told how many were through', () => {
  const none = { wanting: 0, through: 0, there: 0 }
  expect(
    [none, { ...none, none: 1 }, { ...none, was: 1 }, { ...none, was: 2 }, { ...none, has: 1 }].map(groupsWords),
  ).toEqual([
    'none wants it',
    'none wants it now, and no machine of 1 had to change',
    'none wants it now, 1 was through',
    'none wants it now, 2 were through',
    'none wants it now, 1 has it and does not count yet',
  ])
})

test('who does not wait for a wave is told which groups go by that at once', () => {
  const group = (name: string, goes = true) => ({ name, machines: 3, goes })
  const of = (...groups: ReturnType<typeof group>[]) => ({ groups, risks: ['cp: r'], held: [], more: 0 })
  expect(groupsBySkip(of(group('a'), group('b'), group('c', false)))).toEqual([
    '2 groups with 6 machines go at once: a, b.',
    'Waiting for approval: 1 group with 3 machines: c.',
    'cp: r',
  ])
  expect(groupsBySkip({ ...of(group('a')), more: 1 })[0]).toBe(
    '1 group with 3 machines goes when nothing else holds it: a.',
  )
  expect(groupsBySkip(of())).toEqual(['No wave opens by that now: nothing that waits goes by it at once.'])
  expect(groupsOfWave(of(group('a')))[0]).toBe('1 group with 3 machines goes when nothing else holds it: a.')
})

test('a wave that is through soaks where another waits for that', () => {
  const [canary, next] = [
    wave({ name: 'canary', state: 'through', through: 1 }),
    wave({ name: 'next', soaksAfter: 'canary' }),
  ]
  expect(standsWords(canary, false, isSoaking(canary, [canary, next]))).toBe('through, soaks')
  expect(standsWords(canary, false, isSoaking(canary, [canary]))).toBe('through')
})

test('what is in a wave that waits itself goes on waiting, whoever does not wait for it', () => {
  expect(skipWords(false, null)).toContain(
    'What is in it goes when it is approved, or at its time where nobody is asked.',
  )
  expect(skipWords(false, 'canary is not through')).toContain(
    'What is in it goes on waiting for its own wave, approved or not: canary is not through.',
  )
  expect(skipWords(true, null)).toBe('It is through: the waves after it may go without its soaking.')
})

test('who lets a run go on is told who stopped it, and what goes by that', () => {
  expect(stoppedByWords({ by: 'Bo', reason: 'it fails' })).toBe('Bo stopped it: “it fails”.')
  expect(stoppedByWords({ by: 'Bo', reason: null })).toBe('Bo stopped it.')
  const of = { groups: [{ name: 'a', machines: 3, goes: true }], risks: [], held: [], more: 0 }
  expect(groupsByResume(of)).toEqual(['1 group with 3 machines goes at once: a.'])
  expect(groupsByResume({ ...of, groups: [] })).toEqual([
    'Nothing that waits is in a wave that is open: nothing goes by it at once.',
  ])
})

test('that a wave is not to be waited for is advised only in its own row, where somebody may say so', () => {
  const at = 'begun, and over before it was done: roll it out anew, or do not wait for its wave'
  const why = `canary is not through: a (${at}), b (begun, and its group is not there any more: do not wait for its wave)`
  expect(whyWords(wave({ state: 'waits', why }))).toBe(
    'canary is not through: a (begun, and over before it was done: roll it out anew), b (begun, and its group is not there any more)',
  )
  const open = [{ name: 'a', at, changeId: null }]
  expect(passedOver({ open, wanting: 1, through: 0 })[0]).not.toContain('do not wait')
  const [first, last] = [wave({ name: 'canary' }), wave({ name: 'rest', state: 'waits' })]
  const of = (one: WaveDto, stopped: RunDto['stopped'] = null) =>
    isSkippable(one, { waves: [first, one, last], stopped })
  const said = { by: 'Op', reason: null, at: '2026-11-22T12:00:00Z' }
  expect([of(first), of(last), of(first, said), of(wave({ skipped: true }))]).toEqual([true, false, false, false])
})
