import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Resolved, Span } from '../policies'
import { followProblem, openings, opensAfter, spanProblems, timingAt } from './index'
import { intervalsOf } from './spans'

const BERLIN = 'Europe/Berlin'
const at = (iso: string) => Date.parse(iso)
const told = (...value: Span[]) => ({ value, policy: { id: 'p', name: 'nights', version: 1 }, why: '' })
const windows = (...value: Span[]): Pick<Resolved, 'windows' | 'freezes'> => ({
  windows: [told(...value)],
  freezes: [],
})
const freezes = (...value: Span[]): Pick<Resolved, 'windows' | 'freezes'> => ({
  windows: [],
  freezes: [told(...value)],
})
const nights: Span = {
  ...{ starts: '2026-01-01T22:00', lasts: '4h', repeats: 'FREQ=WEEKLY;BYDAY=TU,TH', timeZone: BERLIN },
}
const iso = (t: number | null) => (t === null ? null : new Date(t).toISOString().slice(0, 16))
const between = (span: Span, from: string, until: string) =>
  intervalsOf(span, at(from), at(until)).map((i) => `${iso(i.from)} ${iso(i.to)}`)

test('a start that does not exist is named as that, where the end is before what it means', () => {
  const span = { starts: '2027-03-28T02:30', ends: '2027-03-28T03:15', timeZone: BERLIN }
  expect(spanProblems(span)[0]).toEqual({
    field: 'ends',
    message:
      '02:30 does not exist on 2027-03-28 in Europe/Berlin, where the clock is put forward: it starts at 03:30, and has to end after that.',
  })
  expect(spanProblems({ ...span, ends: '2027-03-28T03:45' })).toEqual([])
  expect(spanProblems({ ...span, ends: '2027-03-28T01:00', starts: '2027-03-28T01:30' })[0]?.message).toBe(
    'It ends before it starts.',
  )
})

describe('a span by the clock of its place', () => {
  const nightly = (starts: string, lasts: string, timeZone = BERLIN): Span => ({
    ...{ starts: `2026-01-01T${starts}`, lasts, repeats: 'FREQ=DAILY', timeZone },
  })
  test.each<[string, Span, string, string, string[]]>([
    [
      'summer and winter keep the local time',
      nightly('22:00', '4h'),
      '2026-03-28T12:00Z',
      '2026-03-30T12:00Z',
      ['2026-03-28T21:00 2026-03-29T01:00', '2026-03-29T20:00 2026-03-30T00:00'],
    ],
    [
      'a start that the clock leaps over is as much later, and does not move the days after',
      nightly('02:30', '1h'),
      '2026-03-28T00:00Z',
      '2026-03-31T00:00Z',
      ['2026-03-28T01:30 2026-03-28T02:30', '2026-03-29T01:30 2026-03-29T02:30', '2026-03-30T00:30 2026-03-30T01:30'],
    ],
    [
      'a start that the clock has twice is the first',
      nightly('02:30', '1h'),
      '2026-10-25T00:00Z',
      '2026-10-25T12:00Z',
      ['2026-10-25T00:30 2026-10-25T01:30'],
    ],
    [
      'an end that the clock has twice is the second',
      { starts: '2026-10-25T01:00', ends: '2026-10-25T02:30', timeZone: BERLIN },
      '2026-10-24T00:00Z',
      '2026-10-26T00:00Z',
      ['2026-10-24T23:00 2026-10-25T01:30'],
    ],
    [
      'hours are hours, whatever the clock does meanwhile',
      nightly('23:00', '6h'),
      '2026-10-24T22:00Z',
      '2026-10-25T10:00Z',
      ['2026-10-24T21:00 2026-10-25T03:00'],
    ],
    [
      'days are days of the calendar: this one has 25 hours',
      { starts: '2026-10-25T00:00', lasts: '1d', timeZone: BERLIN },
      '2026-10-24T00:00Z',
      '2026-10-27T00:00Z',
      ['2026-10-24T22:00 2026-10-25T23:00'],
    ],
    [
      'half an hour of summer',
      nightly('02:15', '30m', 'Australia/Lord_Howe'),
      '2026-10-03T12:00Z',
      '2026-10-05T12:00Z',
      ['2026-10-03T15:45 2026-10-03T16:15', '2026-10-04T15:15 2026-10-04T15:45'],
    ],
    [
      'the second Sunday of the month, where the day is another one in UTC',
      {
        ...{ starts: '2026-01-01T08:00', lasts: '3h', repeats: 'FREQ=MONTHLY;BYDAY=2SU', timeZone: 'Pacific/Auckland' },
      },
      '2026-11-01T00:00Z',
      '2026-12-31T00:00Z',
      ['2026-11-07T19:00 2026-11-07T22:00', '2026-12-12T19:00 2026-12-12T22:00'],
    ],
    [
      'the 31st is not in every month',
      {
        ...{ starts: '2026-01-31T10:00', lasts: '1h', repeats: 'FREQ=MONTHLY;BYMONTHDAY=31', timeZone: 'UTC' },
      },
      '2026-09-01T00:00Z',
      '2026-12-30T00:00Z',
      ['2026-10-31T10:00 2026-10-31T11:00'],
    ],
    [
      'UNTIL is local time, and counts',
      {
        ...{ starts: '2026-11-24T22:00', lasts: '1h', timeZone: BERLIN },
        repeats: 'FREQ=DAILY;UNTIL=20261125T220000',
      },
      '2026-11-01T00:00Z',
      '2026-12-30T00:00Z',
      ['2026-11-24T21:00 2026-11-24T22:00', '2026-11-25T21:00 2026-11-25T22:00'],
    ],
    [
      'what began long before is in it',
      {
        ...{ starts: '2026-01-01T00:00', lasts: '31d', repeats: 'FREQ=MONTHLY;BYMONTHDAY=1', timeZone: 'UTC' },
      },
      '2026-10-31T12:00Z',
      '2026-10-31T13:00Z',
      ['2026-10-01T00:00 2026-11-01T00:00'],
    ],
  ])('%s', (_, span, from, until, expected) => {
    expect(spanProblems(span)).toEqual([])
    expect(between(span, from, until)).toEqual(expected)
  })
})

describe('what cannot be followed is refused, with the part that is wrong', () => {
  test.each<[keyof Span, Partial<Span>, RegExp]>([
    ['timeZone', { timeZone: 'Berlin' }, /no such time zone: Europe\/Berlin\?$/],
    ['timeZone', { timeZone: 'Europe/Berln' }, /no such time zone: Europe\/Berlin\?$/],
    ['timeZone', { timeZone: 'Nowhere/Special' }, /named as Europe\/Berlin/],
    ['timeZone', { timeZone: '+02:00' }, /named as/],
    ['starts', { starts: '2026-02-30T10:00' }, /local time/],
    ['starts', { starts: '2026-11-24T22:00Z' }, /local time/],
    ['starts', { starts: 'tomorrow' }, /local time/],
    ['lasts', { lasts: undefined }, /how long it lasts/],
    ['lasts', { lasts: '0h' }, /30m, 4h or 2d/],
    ['lasts', { lasts: '40d' }, /at most 31 days/],
    ['starts', { starts: '1950-01-01T10:00' }, /local time/],
    ['ends', { ends: '2026-01-02T00:00' }, /or how long/],
    ['ends', { lasts: undefined, ends: '2026-01-02T00:00' }, /what repeats/],
    ['ends', { lasts: undefined, repeats: undefined, ends: '2025-01-02T00:00' }, /before it starts/],
    ['repeats', { repeats: 'every night' }, /does not know every night/],
    ['repeats', { repeats: 'FREQ=HOURLY' }, /FREQ cannot be “HOURLY”; it is DAILY/],
    ['repeats', { repeats: 'BYDAY=MO' }, /begins with FREQ/],
    ['repeats', { repeats: 'FREQ=DAILY;BYHOUR=22' }, /time of day is the one of the start/],
    ['repeats', { repeats: 'FREQ=DAILY;WAT=1' }, /does not know WAT/],
    ['repeats', { repeats: 'FREQ=WEEKLY;BYDAY=TUE' }, /BYDAY cannot be “TUE”; days are MO, TU/],
    ['repeats', { repeats: 'FREQ=WEEKLY;BYDAYS=TU' }, /does not know BYDAYS: BYDAY\?$/],
    ['repeats', { repeats: 'RRULE:FREQ=DAILY' }, /^Leave RRULE: out/],
    ['repeats', { repeats: 'FREQ=YEARLY;BYMONTH=13' }, /BYMONTH/],
    ['repeats', { repeats: 'FREQ=DAILY;FREQ=WEEKLY' }, /twice/],
    ['repeats', { repeats: 'FREQ=DAILY;' }, /an empty part/],
    ['repeats', { repeats: 'FREQ=DAILY;UNTIL=20261231T220000Z' }, /local time/],
    ['repeats', { repeats: 'FREQ=DAILY;COUNT=2;UNTIL=20261231T220000' }, /exclude each other/],
    ['repeats', { repeats: 'FREQ=WEEKLY;BYMONTHDAY=3' }, /./],
  ])('%s: %o', (field, part, message) => {
    const [problem] = spanProblems({ ...nights, ...part })
    expect(problem?.field).toBe(field)
    expect(problem?.message).toMatch(message)
  })
})

describe('a rule for a year that would not be followed as it says', () => {
  const yearly = (parts: string): Span => ({ ...nights, repeats: `FREQ=YEARLY;${parts}` })
  const [together, weekday] = [/ are not followed together in a year: leave one of them out\.$/, /^With BYWEEKNO, say/]
  test.each([
    ['BYYEARDAY=1,2,3,4,5,6,7;BYDAY=TU', together],
    ['BYDAY=1FR;BYMONTHDAY=1,2,3', together],
    ['BYDAY=-1FR;BYYEARDAY=365', together],
    ['BYWEEKNO=20;BYMONTHDAY=15', together],
    ['BYWEEKNO=20;BYYEARDAY=140', together],
    ['BYYEARDAY=60;BYMONTHDAY=1', together],
    ['BYWEEKNO=-1;BYDAY=SA,MO;BYSETPOS=2', together],
    ['BYWEEKNO=2,-5', weekday],
  ])('%s is not written anew; stored, it is read, and opens nothing', (parts, words) => {
    expect(spanProblems(yearly(parts))).toEqual([])
    expect(followProblem(yearly(parts))).toMatch(words)
    expect(() => between(yearly(parts), '2026-01-01T00:00Z', '2028-01-01T00:00Z')).toThrow(words)
  })

  test.each(['BYDAY=FR;BYMONTHDAY=13', 'BYWEEKNO=20;BYDAY=TU', 'BYDAY=1FR;BYMONTH=5', 'BYYEARDAY=1,100;BYMONTH=1'])(
    '%s is followed',
    (parts) => expect(followProblem(yearly(parts))).toBeNull(),
  )
})

test('31 days are 31 days, also where the clock is set back meanwhile', () => {
  const month = { starts: '2026-10-01T00:00', lasts: '31d', repeats: 'FREQ=MONTHLY;BYMONTHDAY=1', timeZone: BERLIN }
  expect(spanProblems(month)).toEqual([])
  expect(spanProblems({ ...month, starts: '2150-01-01T00:00', repeats: 'FREQ=DAILY;COUNT=9000' })).toEqual([])
})

test('as many spans as a policy may have are looked through in no time worth mentioning', () => {
  const many = Array.from({ length: 20 }, (_, i): Span => ({
    ...{ starts: `2026-01-01T${String(i).padStart(2, '0')}:00`, lasts: '3h', repeats: 'FREQ=DAILY', timeZone: BERLIN },
  }))
  // Closed all year: the whole of it is looked through.
  const closed = { windows: [told(...many)], freezes: [told({ ...nights, lasts: '31d', repeats: 'FREQ=DAILY' })] }
  expect(timingAt(closed, at('2026-11-24T12:00Z'))).toMatchObject({ open: false, opens: null })
  expect(openings(closed, at('2026-11-24T12:00Z'), 5)).toEqual([])
})

describe('timing', () => {
  test('without windows and freezes it is open for ever', () => {
    expect(timingAt({}, 0)).toEqual({ open: true, until: null })
    expect(timingAt({ windows: [], freezes: [] }, 0)).toEqual({ open: true, until: null })
  })
  test('inside and outside a window', () => {
    expect(timingAt(windows(nights), at('2026-11-24T21:30Z'))).toEqual({
      ...{ open: true, until: at('2026-11-25T01:00Z'), zone: BERLIN },
      by: { why: 'window', span: null, policy: 'nights' },
    })
    expect(timingAt(windows(nights), at('2026-11-25T01:00Z'))).toEqual({
      ...{ open: false, why: 'window', span: null, policy: 'nights', opens: at('2026-11-26T21:00Z'), zone: BERLIN },
    })
  })
  test('windows that touch are one', () => {
    const day: Span = { starts: '2026-11-24T10:00', lasts: '12h', timeZone: BERLIN }
    expect(timingAt(windows(day, nights), at('2026-11-24T12:00Z'))).toMatchObject({
      ...{ open: true, until: at('2026-11-25T01:00Z') },
    })
  })
  test('a freeze holds in the middle of a window, and what is left of the window counts', () => {
    const freeze: Span = { starts: '2026-11-24T23:00', ends: '2026-11-25T01:00', timeZone: BERLIN, why: 'release' }
    const both = { ...windows(nights), ...{ freezes: freezes(freeze).freezes } }
    expect(timingAt(both, at('2026-11-24T21:30Z'))).toMatchObject({
      ...{ open: true, until: at('2026-11-24T22:00Z'), by: { why: 'freeze', span: freeze } },
    })
    expect(timingAt(both, at('2026-11-24T22:30Z'))).toMatchObject({
      ...{ open: false, why: 'freeze', span: freeze, opens: at('2026-11-25T00:00Z') },
    })
    expect(openings(both, at('2026-11-24T12:00Z'), 3).map(({ from, to }) => `${iso(from)} ${iso(to)}`)).toEqual([
      ...[
        '2026-11-24T21:00 2026-11-24T22:00',
        '2026-11-25T00:00 2026-11-25T01:00',
        '2026-11-26T21:00 2026-11-27T01:00',
      ],
    ])
  })
  test('of policies that describe it equally closely, the windows of both have to be open', () => {
    const late: Span = { ...nights, starts: '2026-01-01T23:00', lasts: '6h' }
    const both = { windows: [told(nights), told(late)], freezes: [] }
    expect(timingAt(both, at('2026-11-24T21:30Z'))).toMatchObject({ open: false, opens: at('2026-11-24T22:00Z') })
    expect(timingAt(both, at('2026-11-24T22:30Z'))).toMatchObject({ open: true, until: at('2026-11-25T01:00Z') })
  })
  test('a freeze and a window that is shut: both are named, and when neither holds', () => {
    const freeze: Span = { starts: '2026-11-25T12:00', ends: '2026-11-26T12:00', timeZone: 'UTC' }
    expect(timingAt({ ...windows(nights), freezes: [told(freeze)] }, at('2026-11-25T13:00Z'))).toMatchObject({
      ...{ why: 'freeze', span: freeze, opens: at('2026-11-26T21:00Z'), zone: BERLIN },
      also: [{ why: 'window', policy: 'nights' }],
    })
  })
  test('windows of two policies that never meet are named so, and only where that is why', () => {
    const days: Span = { starts: '2026-01-01T10:00', lasts: '4h', repeats: 'FREQ=DAILY', timeZone: BERLIN }
    const past: Span = { starts: '2026-01-01T10:00', lasts: '1h', timeZone: BERLIN }
    const never = (span: Span) => timingAt({ windows: [told(nights), told(span)] }, at('2026-11-24T12:00Z'))
    expect(never(days)).toMatchObject({ open: false, opens: null, apart: ['nights', 'nights'] })
    expect(never(past)).not.toHaveProperty('apart')
    const frozen = { windows: [told(nights), told(nights)], freezes: [told({ ...days, lasts: '31d' })] }
    expect(timingAt(frozen, at('2026-11-24T12:00Z'))).not.toHaveProperty('apart')
  })
  test('a freeze over the last of all windows: its end opens nothing, and the windows are why', () => {
    const last = windows({ starts: '2026-11-29T17:56', lasts: '30m', timeZone: 'UTC' })
    const why = (audit: Span, rest = last, now = at('2026-11-29T18:00Z')) =>
      timingAt({ ...rest, freezes: [told(audit)] }, now)
    const audit: Span = { starts: '2026-11-29T17:30', ends: '2026-11-29T19:00', timeZone: 'UTC' }
    const window = { why: 'window', span: null, policy: 'nights' }
    const frozen = (span: Span) => ({ why: 'freeze', span, policy: 'nights' })
    expect(why(audit)).toEqual({ open: false, ...window, opens: null, also: [frozen(audit)] })
    const nightly: Span = { ...audit, starts: '2026-01-01T17:30', ends: undefined, lasts: '2h', repeats: 'FREQ=DAILY' }
    const evening = windows({ ...nightly, starts: '2026-01-01T18:00', lasts: '1h' })
    expect(why(nightly, evening)).toMatchObject({ ...window, opens: null, also: [frozen(nightly)] })
    const long: Span = { ...audit, ends: '2029-01-01T00:00' }
    expect(why(long)).toMatchObject({ ...window, also: [frozen(long)] })
    expect(why(long, evening)).toMatchObject({ ...frozen(long), opens: null })
    expect(why(long, { windows: [], freezes: [] })).toMatchObject({ ...frozen(long), opens: null })
  })

  test('windows of two policies that meet under a freeze only, while it holds', () => {
    const daily = (from: string, lasts: string): Span => ({
      ...{ starts: `2026-01-01T${from}`, lasts, repeats: 'FREQ=DAILY', timeZone: 'UTC' },
    })
    const freezes = [told(daily('12:00', '2h'))]
    const meet = (b: Span) =>
      timingAt({ windows: [told(daily('10:00', '3h')), told(b)], freezes }, at('2026-11-24T12:30Z'))
    expect(meet(daily('12:30', '3h'))).toMatchObject({ why: 'window', opens: null, apart: ['nights', 'nights'] })
    expect(meet(daily('12:30', '1h'))).not.toHaveProperty('apart')
  })

  test('windows that open only while a freeze holds: it is named, also while it does not hold', () => {
    const daily = (from: string, lasts: string): Span => ({
      ...{ starts: `2026-01-01T${from}`, lasts, repeats: 'FREQ=DAILY', timeZone: 'UTC' },
    })
    const frozen = (span: Span, name: string) => ({ ...told(span), policy: { id: name, name, version: 1 } })
    const [day, other] = [frozen(daily('10:00', '8h'), 'day'), frozen(daily('00:00', '1h'), 'other')]
    const at9 = (...spans: Span[]) =>
      timingAt({ windows: spans.map((one) => told(one)), freezes: [day, other] }, at('2026-11-24T09:00Z'))
    const under = [{ why: 'freeze', span: day.value[0], policy: 'day' }]
    expect(at9(daily('12:00', '1h'))).toEqual({
      ...{ open: false, why: 'window', span: null, policy: 'nights', opens: null, under },
    })
    expect(at9(daily('08:00', '4h'), daily('11:00', '9h'))).toMatchObject({ apart: ['nights', 'nights'], under })
    expect(at9(daily('12:00', '9h'))).not.toHaveProperty('under')
    expect(at9({ ...daily('12:00', '1h'), repeats: undefined })).not.toHaveProperty('under')
  })

  test('a window that has been, and one that never comes: nobody says when', () => {
    const past: Span = { starts: '2026-01-01T10:00', lasts: '1h', timeZone: BERLIN }
    const never: Span = { ...past, repeats: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }
    for (const span of [past, never])
      expect(timingAt(windows(span), at('2026-11-24T21:30Z'))).toMatchObject({ open: false, opens: null })
  })
})

describe('timing, of any calendar', () => {
  const span = fc
    .record({
      day: fc.integer({ min: 1, max: 28 }),
      month: fc.constantFrom('01', '03', '10'),
      hour: fc.integer({ min: 0, max: 23 }),
      lasts: fc.constantFrom('30m', '4h', '26h', '2d'),
      timeZone: fc.constantFrom(BERLIN, 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC'),
      repeats: fc.constantFrom(
        undefined,
        'FREQ=DAILY;INTERVAL=3',
        'FREQ=WEEKLY;BYDAY=SA,SU',
        'FREQ=MONTHLY;BYDAY=-1SU',
      ),
    })
    .map(({ day, month, hour, ...rest }): Span => {
      const two = (n: number) => String(n).padStart(2, '0')
      return { starts: `2026-${month}-${two(day)}T${two(hour)}:00`, ...rest }
    })
  const calendar = fc.record({
    windows: fc.array(
      fc.array(span, { minLength: 1, maxLength: 3 }).map((value) => told(...value)),
      { maxLength: 2 },
    ),
    freezes: fc.array(
      fc.array(span, { minLength: 1, maxLength: 2 }).map((value) => told(...value)),
      { maxLength: 2 },
    ),
  })
  const moment = fc.integer({ min: at('2026-03-20T00:00Z'), max: at('2026-11-05T00:00Z') })
  const covered = (spans: readonly Span[], t: number) => spans.some((one) => intervalsOf(one, t, t + 1).length > 0)
  const openAt = ({ windows, freezes }: Pick<Resolved, 'windows' | 'freezes'>, t: number) =>
    windows.every(({ value }) => covered(value, t)) && !freezes.some(({ value }) => covered(value, t))

  test('it is open where every list of windows is and no freeze; and it stays so until it says', () => {
    fc.assert(
      fc.property(calendar, moment, fc.double({ min: 0, max: 1, noNaN: true }), (of, now, part) => {
        const timing = timingAt(of, now)
        expect(timing.open).toBe(openAt(of, now))
        const end = timing.open ? timing.until : timing.opens
        const later = Math.min(end ?? now + 30 * 86_400_000, now + 60 * 86_400_000)
        // Anywhere before it, and right at it.
        expect(openAt(of, Math.min(later - 1, Math.floor(now + part * (later - now))))).toBe(timing.open)
        if (end !== null) expect(openAt(of, end)).toBe(!timing.open)
      }),
      { numRuns: 300 },
    )
  })
})

test('what opens once and closes for good does not open after that', () => {
  const once: Span = { starts: '2026-11-24T12:00', lasts: '4h', timeZone: 'UTC' }
  const closes = at('2026-11-24T16:00Z')
  expect(opensAfter(windows(once), closes)).toBe(false)
  expect(opensAfter(windows(once, { ...once, starts: '2027-08-24T12:00' }), closes)).toBe(true)
  expect(opensAfter(windows(nights), closes)).toBe(true)
})

// Weeks 52, 53 and 1 are 2026-12-21 to 2027-01-10 without a gap.
test.each([
  ['2026-01-01', '52,53,1', '12:00', '4h'],
  ['2026-01-01', '52,53,1', '08:00', '12h'],
  ['2026-01-01', '52,53', '18:00', '12h'],
  ['2025-11-01', '-2,-1,1', '08:00', '10h'],
])(
  'a freeze of weeks around new year holds on each of their days: from %s, weeks %s, %s for %s',
  (day, weeks, from, lasts) => {
    const repeats = `FREQ=YEARLY;BYWEEKNO=${weeks};BYDAY=MO,TU,WE,TH,FR,SA,SU`
    const freeze: Span = { starts: `${day}T${from}`, lasts, timeZone: 'UTC', repeats }
    const [begins, hours] = [Number(from.slice(0, 2)), Number(lasts.slice(0, -1))]
    for (let date = at('2026-12-21T00:30Z'); date < at('2027-01-04T00:00Z'); date += 86_400_000)
      for (let hour = begins; hour < begins + hours; hour++)
        expect(timingAt(freezes(freeze), date + hour * 3_600_000).open).toBe(false)
  },
)
