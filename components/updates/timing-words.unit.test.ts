import { describe, expect, it, test } from 'vitest'
import type { ApprovalDto, ChangePolicy } from '@/lib/services/changes/policy-of-change'
import { begunOf } from '@/lib/domain/changes/begun-of'
import type { Outlook } from '@/lib/domain/changes/types'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import { goesWords } from '@/lib/domain/policies'
import { timingDto, type TimingDto } from '@/lib/services/policies/timing'
import { besidesWords, groupsOfWave } from '@/components/waves/words'
import { approvalState, oneOfWords, waitsFor, yoursWords, mayApproveWords } from './standing-words'
import { closedWords, closesWords, notNowWords, openWaveWords, thenWords, throughWords } from './timing-words'

const OPEN = timingDto({ open: true, until: null })
const closed = (more: Partial<TimingDto>): TimingDto => ({ ...OPEN, open: false, ...more })
const AT = '2026-11-28T21:00:00.000Z'
const WINDOW = closed({ why: 'window', policy: 'nights', opens: AT, zone: 'Europe/Berlin' })
const FREEZE = closed({ why: 'freeze', policy: 'sale', opens: AT, span: { starts: '', timeZone: 'UTC', why: 'xmas' } })
const place = { name: 'rest', index: 1, of: 2, state: 'waits' as const, why: 'canary is not through' }
const WAVE = closed({ why: 'wave', wave: { policy: { id: 'p', name: 'prod' }, place } })
const stop = { state: 'stopped' as const, why: 'its waves were stopped by Op (red)', stoppedBy: 'Op' }
const RUN = closed({ why: 'wave', wave: { policy: { id: 'p', name: 'prod' }, place: { ...place, ...stop } } })
const ASKS = closed({
  why: 'wave',
  wave: { policy: { id: 'p', name: 'prod' }, place: { ...place, asksThen: true } },
})
/** Nobody tries the wave before it. */
const left = { ...place, why: 'no group in canary wants it now', needsPerson: true as const }
const LEFT = closed({ why: 'wave', wave: { policy: { id: 'p', name: 'prod' }, place: left } })
const STUCK = closed({
  why: 'shape',
  shape: {
    words: 'the policy p says maxSurge 0, and it was refused: no',
    stuck: true,
    advice: 'write maxUnavailable: 1',
  },
})
const EARLY = {
  ...{ ends: '2026-11-24T05:00:00.000Z', may: AT, from: '2026-11-28T13:00:00.000Z' },
  ...{ zone: 'Europe/Berlin', policy: 'prod' },
}

test('in a wave that is not open goes only what has begun', () => {
  expect(openWaveWords('prod', { ...place, state: 'open' })).toBe(
    'Wave 2 of 2 (rest) of the policy prod, which is open.',
  )
  expect(openWaveWords('prod', { ...place, state: 'open', notYet: true })).toBe(
    'It has begun, and goes on; its wave 2 of 2 (rest) of the policy prod is not open now.',
  )
})

describe('what holds it', () => {
  test.each<[string, TimingDto, string]>([
    [
      'a window, in its own zone',
      WINDOW,
      'It is outside the windows of the policy nights, until 2026-11-28 21:00 UTC (22:00 in Europe/Berlin).',
    ],
    [
      'a freeze and a window',
      { ...FREEZE, also: [{ why: 'window', span: null, policy: 'nights' }] },
      'The policy sale freezes it (xmas), and it is outside the windows of the policy nights, until 2026-11-28 21:00 UTC.',
    ],
    [
      'windows that never meet',
      { ...WINDOW, opens: null, apart: ['a', 'b'] },
      'It is outside the windows of the policies a and b, which are never open together.',
    ],
    [
      'a wave, and a window besides',
      { ...WAVE, besides: [WINDOW] },
      'It is in wave 2 of 2 (rest) of the policy prod, which waits: canary is not through. Besides, it is outside the windows of the policy nights, until 2026-11-28 21:00 UTC (22:00 in Europe/Berlin).',
    ],
    [
      'a wave that opens at a known time, and what its calendar says then',
      { ...WAVE, opens: '2026-11-27T10:00:00.000Z', besides: [FREEZE, STUCK] },
      'It is in wave 2 of 2 (rest) of the policy prod, which waits: canary is not through. Then the policy sale freezes it (xmas), until 2026-11-28 21:00 UTC. Besides, its group is not as its policies say: the policy p says maxSurge 0, and it was refused: no. Write maxUnavailable: 1.',
    ],
    [
      'a group that does not take what its policy says',
      STUCK,
      'Its group is not as its policies say: the policy p says maxSurge 0, and it was refused: no. Write maxUnavailable: 1.',
    ],
  ])('%s', (_, timing, words) => expect(closedWords(timing)).toBe(words))

  it('says of a wave whose groups are held besides how many are, and until when', () => {
    const held = [
      { timing: WINDOW, groups: 3 },
      { timing: FREEZE, groups: 1 },
    ]
    const [first, second, more] = besidesWords({ held, more: 2 })
    expect(first).toMatch(/^3 groups stay held\. It is outside the windows of the policy nights, until /)
    expect(second).toMatch(/^1 group stays held\. The policy sale freezes it/)
    expect(more).toBe('2 more were not looked at.')
    expect(besidesWords({ held: [], more: 0 })).toEqual([])
    const group = (name: string, machines: number, goes: boolean) => ({ name, machines, goes })
    const groups = [group('a', 12, true), group('b', 12, true), group('c', 1, false)]
    expect(groupsOfWave({ groups, risks: ['c: its etcd has none to spare'] })).toEqual([
      '2 groups with 24 machines go when nothing else holds them: a, b.',
      'Waiting for approval: 1 group with 1 machine: c.',
      'c: its etcd has none to spare',
    ])
  })

  it('ends in what ends it', () => {
    const open = { ...OPEN, closes: AT }
    const freeze = { ...open, closesBy: { why: 'freeze' as const, span: null, policy: 'sale' } }
    const window = { ...open, closesBy: { why: 'window' as const, span: null, policy: 'nights' } }
    expect(closesWords(freeze, false)).toBe(
      'Machines may move until 2026-11-28 21:00 UTC, when the policy sale freezes it: what has begun by then is finished, the rest waits until that is over.',
    )
    expect(closesWords(window, true)).toMatch(
      /the window of the policy nights ends, and it is held: .* next window opens/,
    )
  })

  it('promises no next window where none comes', () => {
    const gone = {
      ...OPEN,
      closes: AT,
      closesBy: { why: 'window' as const, span: null, policy: 'once' },
      last: true as const,
    }
    expect(closesWords(gone, true)).toMatch(/the rest stays as it is: machines may not move again within a year\.$/)
    expect(closesWords(gone, false)).toMatch(/the rest stays as it is: machines may not move again within a year\.$/)
  })

  test.each([
    [22_000, {}, 'By what is foretold, none of 5 machines is through by then.'],
    [130_000, {}, 'By what is foretold, about 2 of 5 machines are through by then.'],
    [900_000, {}, 'By what is foretold, all of it is through by then.'],
    [130_000, { ends: null }, null],
    [130_000, { notBefore: AT }, null],
  ])('says how far it gets in %i ms: %j', (left, more, words) => {
    const frames = [0, 1, 2, 3, 4, 5].map((done) => ({ at: done * 60_000, done, machines: 5, available: 5 }))
    const plan = { frames, ends: 300_000, ...more }
    expect(throughWords({ closes: AT }, plan, Date.parse(AT) - left)).toBe(words)
  })
})

describe('what becomes of what is approved', () => {
  test.each<[string, TimingDto, RegExp]>([
    ['a window', WINDOW, /^It goes by itself then\.$/],
    ['a wave, and a window', { ...WAVE, besides: [WINDOW] }, /^It goes by itself when none of that holds it\.$/],
    [
      'windows that never meet',
      { ...WINDOW, opens: null, apart: ['a', 'b'] },
      /^It does not go by itself before that is changed\.$/,
    ],
    [
      'a wave, and windows that never meet',
      { ...WAVE, besides: [{ ...WINDOW, opens: null }] },
      /does not go by itself/,
    ],
    ['waves that somebody stopped', RUN, /^It waits until somebody lets its waves go on\.$/],
    [
      'waves that somebody stopped, and a window',
      { ...RUN, besides: [WINDOW] },
      /^It waits until somebody lets its waves/,
    ],
    [
      'a pause, in waves that somebody stopped',
      closed({ why: 'paused', paused: { by: 'Op', reason: null, at: AT }, besides: [RUN] }),
      /^It goes by itself when somebody resumes it and lets its waves go on\.$/,
    ],
    [
      'a stop by itself, in waves that somebody stopped',
      closed({ why: 'stopped', stopped: { policy: 'p', why: 'w', at: AT }, besides: [RUN] }),
      /^It goes by itself when somebody lets it and its waves go on\.$/,
    ],
    ['a wave that somebody has to begin', ASKS, /^It goes when somebody says so\.$/],
    [
      'such a wave, and a window',
      { ...ASKS, besides: [WINDOW] },
      /^It goes when none of that holds it, and somebody says that its wave begins\.$/,
    ],
    [
      'a pause, in such a wave',
      closed({ why: 'paused', paused: { by: 'Op', reason: null, at: AT }, besides: [ASKS] }),
      /^It goes when somebody resumes it, and says that its wave begins\.$/,
    ],
    [
      'such a wave, and a freeze without an end',
      { ...ASKS, besides: [{ ...FREEZE, opens: null }] },
      /^It goes when none of that holds it, and somebody says that its wave begins\.$/,
    ],
    [
      'such a wave, and windows that never meet',
      { ...ASKS, besides: [{ ...WINDOW, opens: null }] },
      /^It does not go by itself before that is changed\.$/,
    ],
    [
      'a wave after one that nobody tries',
      LEFT,
      /^It does not go by itself: somebody has to see to the wave before it, or say on the page Waves that it is not waited for\.$/,
    ],
    ['such a wave, and a window', { ...LEFT, besides: [WINDOW] }, /^It does not go by itself: somebody has to see to/],
    [
      'such a wave, that somebody has to begin then',
      closed({ why: 'wave', wave: { policy: { id: 'p', name: 'prod' }, place: { ...left, asksThen: true } } }),
      /is not waited for, and then that its own begins\.$/,
    ],
    [
      'a pause, in such a wave',
      closed({ why: 'paused', paused: { by: 'Op', reason: null, at: AT }, besides: [LEFT] }),
      /^It does not go by itself: somebody has to resume it, and see to the wave before it/,
    ],
    ['a group that is not as its policy says', STUCK, /^It goes only when that is mended\.$/],
  ])('%s', (_, timing, words) => expect(thenWords(timing, null, 'It', true)).toMatch(words))
  it('promises nothing where the approval ends before', () => {
    expect(thenWords(WINDOW, EARLY, 'It', true)).toMatch(
      /^The approval expires at 2026-11-24 05:00 UTC, before it may go/,
    )
    const [why, then] = notNowWords(WINDOW, EARLY)!
    expect(why).toContain('until 2026-11-28 21:00 UTC')
    expect(then).toMatch(/^What is approved now expires at/)
    expect(then).not.toContain('by itself')
    expect(notNowWords(OPEN, null)).toBeNull()
  })
  it('goes at the last of the times that are known, and at none where one is not', () => {
    expect(goesWords({ ...WAVE, opens: '2026-11-25T10:00:00.000Z', besides: [WINDOW] })).toBe(
      'goes 2026-11-28 21:00 UTC',
    )
    expect(goesWords({ ...WAVE, besides: [WINDOW] })).toBe('in wave 2 of 2')
    expect(goesWords({ ...WINDOW, opens: null, apart: ['a', 'b'] })).toBe('its windows are never open together')
  })
})

const listed = (more: Partial<ListedStanding>): ListedStanding => ({
  ...{
    way: 'in-place',
    given: 0,
    otherwise: 0,
    tooFew: null,
    needed: 1,
    forbidden: null,
    due: false,
    stands: false,
    goes: false,
    open: false,
    timing: WINDOW,
    early: null,
  },
  ...more,
})

test.each<[string, Partial<ListedStanding>, string, string]>([
  ['waits', {}, 'Waiting for 1 approval', 'needs'],
  [
    'asks nobody where it can in place',
    { open: true },
    'No approval asked, whether in place is not known yet',
    'plain',
  ],
  ['is approved by one of two all the same', { open: true, needed: 2, given: 1 }, '1 of 2 approvals', 'needs'],
  ['has one of them', { needed: 3, given: 1 }, '1 of 3 approvals', 'needs'],
  ['has one, for the other way', { needed: 3, otherwise: 1 }, '1 of 3 approvals, replacing', 'needs'],
  ['has one for each', { needed: 3, given: 1, otherwise: 1 }, '1 of 3 in place, 1 of 3 replacing', 'needs'],
  ['approved', { due: true }, 'Approved, goes 2026-11-28 21:00 UTC', 'plain'],
  ['approved, in waves that somebody stopped', { due: true, timing: RUN }, 'Stopped by Op', 'needs'],
  [
    'approved, after a wave that nobody tries',
    { due: true, timing: LEFT },
    'Approved, in wave 2 of 2, which waits for somebody',
    'needs',
  ],
  ['asks nobody, in such waves', { goes: true, timing: RUN, early: EARLY }, 'Stopped by Op', 'needs'],
  ['not approved, in such waves', { timing: RUN }, 'Waiting for 1 approval', 'needs'],
  ['approved too early', { due: true, early: EARLY }, 'Approved, and expires before it may go', 'needs'],
  ['asks nobody', { goes: true, timing: WAVE }, 'No approval asked, in wave 2 of 2', 'plain'],
  [
    'stopped, and stands',
    { due: true, goes: true, timing: closed({ why: 'stopped', stopped: { policy: 'p', why: 'w', at: AT } }) },
    'Stopped by itself',
    'bad',
  ],
  ['not as its policy says', { goes: true, timing: STUCK }, 'Its group is not as its policy says', 'bad'],
])('in a chip: %s', (_, more, words, tone) => expect(waitsFor(listed(more))).toEqual({ words, tone }))

test.each<[string, Partial<ListedStanding>, string]>([
  ['its window', { due: true }, 'Half way, goes on 2026-11-28 21:00 UTC'],
  ['nothing any more', { due: true, timing: OPEN }, 'Half way, about to go on'],
  ['its wave', { due: true, timing: WAVE }, 'Half way, in wave 2 of 2'],
  ['its window, and nobody is asked', { goes: true }, 'Half way, goes on 2026-11-28 21:00 UTC'],
  ['an approval', {}, 'Waiting for 1 approval'],
])('in a chip, held in the middle, it waits for %s', (_, more, words) =>
  expect(waitsFor(listed(more), 'latch', 'some').words).toBe(words),
)

it.each([
  [1, 1, 'Every node has begun, and goes on to its end'],
  [2, 1, 'Half way, goes on 2026-11-28 21:00 UTC'],
  [2, undefined, 'Half way, goes on 2026-11-28 21:00 UTC'],
])('in a chip of a pool, held in the middle: %i left, %s of them under way', (left, underWay, words) => {
  const before = { inPlace: 1, created: 0, deleted: 0, ...(underWay ? { underWay } : {}) }
  const inPlace = { counts: { 'in-place': left, 'up-to-date': 1 } } as unknown as Outlook['inPlace']
  expect(waitsFor(listed({ due: true }), 'latch', begunOf({ outlook: { before, inPlace } })).words).toBe(words)
})

it.each([
  [{ count: 0, names: [] }, /^Nobody else may approve it/],
  [{ count: 1, names: null }, /^1 person may still approve it\.$/],
  [{ count: 12, names: null }, /^12 people may/],
  [{ count: 1, names: ['Ada'] }, /: Ada\.$/],
  [{ count: 3, names: ['Ada', 'Bo', 'Cy'] }, /: Ada, Bo and Cy\.$/],
  [{ count: 5, names: ['Ada', 'Bo'] }, /: Ada, Bo and 3 more\.$/],
])('who may still approve: %j', (people, words) => expect(mayApproveWords(people)).toMatch(words))

const told = <T>(value: T) => ({ value, policy: { id: 'p', name: 'prod', version: 1 }, why: '' })
const rules = {
  expiresAfter: told('5m'),
  reasonRequired: told(true),
  notTheAuthor: told(true),
} as ChangePolicy['rules']
const approval = (more: Partial<ApprovalDto>): ApprovalDto => ({
  ...{ id: 'a', actorName: 'Ada', mode: 'in-place', reason: null, at: AT, expiresAt: null, endedAt: null },
  ...{ endedWhy: null, mine: true, takeBack: null, whyNot: null, oneByOne: false },
  ...more,
})
const way = { needed: 1, missing: 1, oneMore: false, forbidden: null, early: null }
const asked = (more: Partial<ChangePolicy>): ChangePolicy => ({
  ...{ rules, ways: { 'in-place': way, replace: way }, listed: listed({}), approvals: [], mayApprove: null },
  ...{ early: null, unasked: null, own: false, authorKnown: true, decided: null },
  ...more,
})

test.each<[ApprovalDto['whyNot'], string]>([
  [null, 'stands'],
  ['too-old', 'is too old: the policy prod lets one last 5m'],
  ['expired', 'has expired'],
  ['no-reason', 'does not count: it gives no reason, and the policy prod asks for one'],
  ['author', 'does not count: who wrote a change does not approve it (the policy prod)'],
  ['disabled', 'does not count: the account was disabled since'],
  ['role', 'does not count: this person may not approve any more'],
  ['fingerprint', 'does not count: it was given for another state of the group'],
])('an approval that does not count says why: %s', (whyNot, words) => {
  expect(approvalState(approval({ whyNot }), rules, 0)).toBe(words)
  if (whyNot)
    expect(yoursWords(asked({ approvals: [approval({ whyNot })] }))).toBe(`Your approval ${words}. Approve it again.`)
})

test.each([
  ['2026-11-23T10:00:00.000Z', 'expired, and given anew afterwards'],
  ['2026-11-23T12:00:00.000Z', 'given anew afterwards'],
  [null, 'given anew afterwards'],
])('given anew, where it was to expire at %s', (expiresAt, words) => {
  const before = approval({ endedWhy: 'anew', endedAt: '2026-11-23T11:00:00.000Z', expiresAt })
  expect(approvalState(before, rules, 0)).toBe(words)
})

test.each([
  ['2026-11-23T10:00:00.000Z', 'has expired'],
  ['2026-11-23T12:00:00.000Z', 'ended by a rejection'],
  [null, 'ended by a rejection'],
])('over with a rejection, where it was to expire at %s', (expiresAt, words) => {
  const before = approval({ endedWhy: 'rejected', endedAt: '2026-11-23T11:00:00.000Z', expiresAt })
  expect(approvalState(before, rules, 0)).toBe(words)
})

describe('what a person is to it', () => {
  it('is one of several only where theirs counts', () => {
    const two = { 'in-place': { ...way, needed: 2 }, replace: way }
    const one = (whyNot: ApprovalDto['whyNot']) =>
      oneOfWords(
        asked({
          ways: { ...two, 'in-place': { ...two['in-place'], missing: whyNot ? 2 : 1 } },
          approvals: [approval({ whyNot })],
        }),
        'in-place',
      )
    expect(one(null)).toContain('1 more is missing')
    expect(one('too-old')).toContain('1 more is missing')
  })
  it('is nothing where nobody is asked, and is told why where it does not go by itself', () => {
    expect(yoursWords(asked({ unasked: { goes: true, why: null } }))).toBe(
      'Its policy asks nobody: it goes by itself when nothing else holds it.',
    )
    const paused = { open: false, paused: { by: 'Op' } } as unknown as ListedStanding['timing']
    expect(
      yoursWords(asked({ unasked: { goes: true, why: null }, listed: { ...asked({}).listed, timing: paused } })),
    ).toBe('Its policy asks nobody: it goes by itself once somebody has resumed it, and nothing else holds it.')
    expect(yoursWords(asked({ unasked: { goes: false, why: 'Never.' } }))).toBe(
      'Yours to approve: its policy asks nobody, but it does not go by itself. Never.',
    )
  })
  it('is not promised a start that does not come', () => {
    expect(yoursWords(asked({ listed: listed({ due: true, early: EARLY }) }))).toBe(
      'It is approved, and that expires before it may go.',
    )
  })
})

test('void with its decision, or never enough, of what is superseded it is said what is wanted since', () => {
  const newer = { summary: 'v1.33.5 → v1.33.9' }
  const over = approval({ endedWhy: 'void', endedAt: '2026-11-23T11:00:00.000Z' })
  for (const one of [over, approval({ whyNot: 'over' })])
    expect(approvalState(one, rules, 0, newer)).toBe('void: v1.33.5 → v1.33.9 is wanted since')
  expect(approvalState(approval({ endedWhy: 'withdrawn', endedAt: '2026-11-23T11:00:00.000Z' }), rules, 0, newer)).toBe(
    'taken back',
  )
})
