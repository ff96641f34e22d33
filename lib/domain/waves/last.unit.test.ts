import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { spanOf, standsWith, type GroupNow, type LastWord, type RunSpan } from '.'

const VERSION = 'version v1.34.1'
const CONTENT = 'content w'
const RUN: RunSpan = { began: 100, exacts: new Set(['today']) }
type Unfinished = NonNullable<LastWord['unfinished']>
const word = (wish: string, over: Partial<Unfinished> | null, throughAt?: number): LastWord => ({
  wish,
  through: throughAt === undefined ? null : { at: throughAt, exact: 'today', undone: false },
  unfinished: over && {
    ...{ exact: 'today', over: 150, begun: true, stopped: false, left: false, doneAfter: null, ...over },
  },
})
const now = (over: Partial<GroupNow> = {}): GroupNow => ({
  ...{ version: 'v1.34.1', settled: true, available: true, empty: false, wants: false, unended: null, left: null },
  ...over,
})
const BACK = now({ version: 'v1.34.0' })
const ON = now({ version: 'v1.35.0', settled: false, wants: true })
const left = (wish: string | null, over: Partial<GroupNow> = {}) => now({ left: { wish, atHook: false }, ...over })
const unsure = now({ left: { wish: CONTENT, atHook: false, unsure: true } })
const hook = now({ version: 'v1.34.0', left: { wish: VERSION, atHook: true } })

test.each<[string, LastWord, GroupNow | 'away' | 'gone' | 'coming', string | null, RegExp?]>([
  ['done', word(VERSION, null, 90), now(), 'through'],
  ['done, and moved on since', word(VERSION, null, 90), ON, 'was'],
  ['done, and its group is not known', word(VERSION, null, 90), 'away', 'was'],
  ['a content that is done', word(CONTENT, null, 120), now(), 'was'],
  ['one that was done before this run, on this very date', word(CONTENT, null, 90), now(), 'was'],
  ['done, and what began last stopped', word(VERSION, null, 90), now({ unended: 'stopped' }), 'open', /^stopped/],
  ['begun, and has it with every machine', word(VERSION, {}), now(), 'through'],
  ['begun, and has it, not Ready', word(VERSION, {}), now({ available: false }), 'open', /not Ready/],
  ['begun, has it, and something else is wanted', word(VERSION, {}), now({ wants: true }), 'open', /another change/],
  ['stopped, and has it', word(VERSION, { stopped: true }), now(), 'open', /^stopped/],
  ['stopped, has it, and another one is done', word(VERSION, { stopped: true, doneAfter: 160 }), now(), 'through'],
  ['stopped before this run, and has it', word(VERSION, { stopped: true, over: 50 }), now(), 'open', /^stopped/],
  ['begun, and changed back', word(VERSION, {}), BACK, 'open', /^begun, and over/],
  ['the same before this run', word(VERSION, { over: 50 }), BACK, null],
  ['the same, where it was through before that', word(VERSION, { over: 50 }, 20), BACK, 'was'],
  ['begun, and moved on', word(VERSION, {}), ON, 'open', /^begun, and over/],
  ['begun on this very date, and before this run', word(CONTENT, { over: 50 }), now(), 'open', /^begun, and over/],
  ['begun on another date before this run', word(CONTENT, { over: 50, exact: 'then' }), now(), null],
  ['wants no machine', word(VERSION, {}), now({ settled: false, empty: true }), null],

  ['begun, and away', word(VERSION, {}), 'away', 'open', /connect it again/],
  ['begun, and deleted', word(VERSION, {}), 'gone', 'open', /^begun.*not there/],
  ['begun before this run, and deleted', word(VERSION, { over: 50 }), 'gone', null],
  ['left before this run', word(VERSION, { over: 50, left: true, begun: false }), 'away', 'open', /connect it again/],
  ['left, connected again, and gone', word(VERSION, { left: true }), 'gone', 'open', /not there since/],
  ['left, and to be listed', word(VERSION, { left: true }), 'coming', 'open', /not known yet/],
  ['left on another date before this run', word(CONTENT, { over: 50, exact: 'then', left: true }), 'away', null],
  ['left, and has it', word(VERSION, { left: true, begun: false }), left(VERSION), 'through'],
  ['left, and moves', word(VERSION, { left: true }), left(VERSION, { settled: false }), 'open', /not known yet/],
  ['left, not begun, and changed back', word(VERSION, { left: true, begun: false }), left(null, BACK), null],
  ['left at its hook, and not got it', word(VERSION, { left: true, begun: false }), hook, 'open', /roll it out anew/],
  ['a content that was left, and is what it has', word(CONTENT, { left: true }), left(CONTENT), 'was'],
  [
    'the same, and what its group has is not known yet',
    word(CONTENT, { left: true }),
    unsure,
    'open',
    /roll it out anew/,
  ],
  ['the same, and nothing had begun', word(CONTENT, { left: true, begun: false }), unsure, 'open', /roll it out anew/],
  ['a content that was left begun, and is not', word(CONTENT, { left: true }), left(null), 'open', /^begun, and over/],
  ['open, and it does not say so itself', word(VERSION, { over: Infinity }), now(), 'open', /not known/],
])('%s', (_, last, group, state, at) => {
  const stands = standsWith(last, group, RUN)
  expect(stands?.state ?? null).toBe(state)
  if (at) expect(stands?.at).toMatch(at)
})

describe('whatever is known of a group', () => {
  const bool = fc.boolean()
  const wish = fc.constantFrom(VERSION, CONTENT)
  const at = fc.integer({ min: 0, max: 200 })
  const exact = fc.constantFrom('today', 'then', null)
  const unfinished = fc.record({
    ...{ exact, over: at, begun: bool, stopped: bool, left: bool, doneAfter: fc.option(at) },
  })
  const last: fc.Arbitrary<LastWord> = fc.record({
    ...{ wish, through: fc.option(fc.record({ at, exact, undone: bool })), unfinished: fc.option(unfinished) },
  })
  const group: fc.Arbitrary<GroupNow> = fc.record({
    ...{ version: fc.constantFrom('v1.34.0', 'v1.34.1', 'v1.35.0'), settled: bool, available: bool, wants: bool },
    ...{ empty: fc.constant(false), unended: fc.constantFrom(null, 'stopped' as const, 'unready' as const) },
    left: fc.option(fc.record({ wish: fc.option(wish), atHook: bool })),
  })
  const absent = fc.constantFrom('away' as const, 'gone' as const, 'coming' as const)
  const opens = (stands: ReturnType<typeof standsWith>) => stands === null || stands.state !== 'open'

  it('no disconnect opens a wave: what is waited for is waited for also once it is not there', () => {
    fc.assert(
      fc.property(last, group, absent, ({ wish, through, unfinished }, before, away) => {
        if (opens(standsWith({ wish, through, unfinished }, before, RUN))) return
        // As it is read then: what was over by the disconnect was left with it, and what is wanted where it is away is not known.
        const undone = before.unended !== null && !before.wants
        const after = {
          wish,
          through: through && { ...through, undone },
          unfinished: unfinished && { ...unfinished, left: true },
        }
        expect(opens(standsWith(after, away, RUN))).toBe(false)
      }),
    )
  })

  it('what was through soaks on, wherever it is not waited for', () => {
    fc.assert(
      fc.property(last, fc.oneof(group, absent), (word, known) => {
        const { through } = word
        if (
          !through ||
          (typeof known === 'string' && through.undone) ||
          (through.at < RUN.began && word.wish === CONTENT && through.exact !== 'today')
        )
          return
        const stands = standsWith(word, known, RUN)
        expect(stands).not.toBeNull()
        if (stands!.state !== 'open' && !stands!.settles) expect(stands!.since).toBe(through.at)
      }),
    )
  })

  it('what stopped, and was not through since, is through by its own machines nowhere', () => {
    fc.assert(
      fc.property(last, group, (word, known) => {
        const stopped = word.unfinished && { ...word.unfinished, stopped: true, doneAfter: null, over: 150 }
        if (stopped) expect(opens(standsWith({ ...word, unfinished: stopped }, known, RUN))).toBe(false)
      }),
    )
  })
})

test('a group that has a version, and of which no change says so', () => {
  const nothing = (group: Parameters<typeof standsWith>[1]) => standsWith(word(VERSION, null), group, RUN)
  expect(nothing(now())).toEqual({ state: 'there' })
  expect(nothing(now({ unended: 'unready' }))).toMatchObject({ state: 'open' })
  for (const not of [BACK, now({ wants: true }), now({ settled: false }), now({ available: false }), 'away' as const])
    expect(nothing(not)).toBeNull()
})

describe('since when a run is under way', () => {
  const from = (began: number, to: number, exact: string | null = null) => ({ from: began, to, exact })
  const open = { ...from(10, Infinity, 'today'), now: true }

  it('since the first of what is open, and of what was under way with that, or with what was', () => {
    expect(spanOf([open]).began).toBe(10)
    expect(spanOf([open, from(8, 10)]).began).toBe(8)
    expect(spanOf([from(5, 8), open, from(8, 12), from(1, 6)]).began).toBe(1)
    expect(spanOf([open, from(5, 9), from(1, 6)]).began).toBe(10)
    expect(spanOf([from(5, 9)]).began).toBe(Infinity)
  })

  it('and wants what is open, or was through in it', () => {
    const through = { ...from(8, 12, 'before'), now: true }
    expect([...spanOf([open, through, { ...from(1, 5, 'long ago'), now: true }]).exacts]).toEqual(['today', 'before'])
  })
})
