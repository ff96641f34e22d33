import fc from 'fast-check'
import { describe, expect, it, test, vi } from 'vitest'
import type { Wave } from '../policies'
import { byWave, exactly, tallyOf, together, wavesAt, wavesBy, type Wanting, type Words } from '.'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const NOBODY: Words = { begun: new Set(), skipped: new Map() }
const WAVES: Wave[] = [{ name: 'canary', soak: '1h' }, { name: 'next' }, { name: 'last' }]
const SIZES = [1, 1, 1]
const ago = (hours: number) => NOW - hours * 3_600_000
const named = (id: string, wave: number) => ({ id, name: id, wave })
const open = (id: string, wave: number, exact: string | null, known: number, more: Partial<Wanting> = {}): Wanting => ({
  ...{ ...named(id, wave), state: 'open', exact, detected: ago(known) },
  ...more,
})
const through = (id: string, wave: number, exact: string | null, since: number): Wanting => ({
  ...{ ...named(id, wave), state: 'through', exact, since: ago(since) },
})
function judge(members: Wanting[], waves = WAVES) {
  const judged = vi.fn((tallies: Parameters<typeof wavesBy>[1]) => wavesBy(waves, tallies, SIZES, NOBODY, NOW))
  const { of, counted } = exactly(members, waves.length, judged, NOW)
  const shown = members.filter((one) => one.state !== 'through' || counted.has(one))
  const all = wavesBy(
    waves,
    byWave(shown, waves.length).map((some) => tallyOf(some, NOW)),
    ...([SIZES, NOBODY, NOW] as const),
  )
  const at = (exact: string | null) => of.get(exact)?.map(({ state }) => state)
  return { of, at, counted, calls: judged.mock.calls.length, page: together(all, shown, of) }
}

describe('groups of one run that want different dates', () => {
  const canary = through('canary', 0, 'today', 3)

  it('a group that is restarted once more waits by itself, and the page says so of both', () => {
    const once = open('again', 2, 'this minute', 0)
    const { at, page } = judge([canary, open('next', 1, 'today', 4), once])
    expect([at('today')?.[1], at('this minute')?.[2]]).toEqual(['open', 'waits'])
    expect(page).toMatchObject([
      { state: 'through', through: 1, why: 'not for all that wait after it: they want it with other dates' },
      { state: 'open', wanting: 1 },
      {
        state: 'waits',
        needsPerson: true,
        why: 'no group in canary wants it now, and none is known to have it and keep it; then next has to be through',
      },
    ])
  })

  it('nothing is said of a wave that is through for all that wait after it', () => {
    const once = open('canary', 0, 'this minute', 0, { had: { exact: 'today', since: ago(3) } })
    const { page } = judge([once, through('next', 1, 'today', 2), open('last', 2, 'today', 4)])
    const stand = page.map(({ state, why }) => [state, why])
    expect(stand).toEqual(['open', 'through', 'open'].map((state) => [state, undefined]))
  })

  it('in one wave with others, too', () => {
    const { page } = judge([
      ...[canary, open('a', 1, 'today', 4), open('b', 1, 'today', 4)],
      open('c', 1, 'this minute', 0),
    ])
    const why =
      '1 of its groups wants it with another date, and waits: no group in canary wants it now, and none is known to have it and keep it'
    expect(page[1]).toMatchObject({ state: 'open', wanting: 3, needsPerson: true, why })
  })

  test.each([
    ['has the very same', { exact: 'today', since: ago(3) }, 'open'],
    ['came through after theirs was known', { exact: 'another', since: ago(3) }, 'open'],
    ['was through before, on another date', { exact: 'another', since: ago(700) }, 'waits'],
  ])('a canary that waits to be restarted once more and %s', (_, had, state) => {
    const { at } = judge([open('canary', 0, 'this minute', 0, { had }), open('next', 1, 'today', 4)])
    expect(at('today')?.[1]).toBe(state)
    expect(at('this minute')).toEqual(['open', 'waits', 'waits'])
  })

  it('what nobody can compare counts with all that is wanted only', () => {
    const of = (since: number) =>
      judge([through('canary', 0, null, since), open('a', 1, null, 4), open('b', 1, 'x', 2)])
    expect([of(3).at(null)?.[1], of(1.5).at(null)?.[1]]).toEqual(['waits', 'open'])
    expect(of(3).at('x')?.[1]).toBe('waits')
  })

  it('thousands, each on a date of its own, are judged together', () => {
    const many = Array.from({ length: 5_000 }, (_, i) => open(`m${i}`, 1 + (i % 2), `date ${i}`, 4 + i / 5_000))
    const { at, calls } = judge([canary, ...many, open('again', 2, 'this minute', 0)])
    expect([at('date 7')?.[1], at('this minute')?.[2], calls]).toEqual(['open', 'waits', 2])
  })

  it('is as if each of them were judged by itself', () => {
    const exact = fc.constantFrom('a', 'b', 'c', null)
    const hours = fc.integer({ min: 0, max: 6 })
    const member = fc.record({
      ...{ wave: fc.nat(2), state: fc.constantFrom('open' as const, 'through' as const), exact },
      ...{ hours, had: fc.option(fc.record({ exact: fc.constantFrom('a', 'b', 'd'), more: hours })), at: REJECTED },
    })
    fc.assert(
      fc.property(fc.array(member, { maxLength: 9 }), (given) => {
        const members = given.map(({ wave, state, had, ...one }, i): Wanting => {
          if (state === 'through') return through(`m${i}`, wave, one.exact, one.hours)
          // It was through with another one, before this was known.
          const before = had && one.exact !== null && had.exact !== one.exact ? had : null
          const since = before && ago(one.hours + before.more + 0.5)
          const more = since ? { had: { exact: before.exact, since } } : {}
          return open(`m${i}`, wave, one.exact, one.hours, { ...more, ...(one.at ? { at: one.at } : {}) })
        })
        const { of, counted } = judge(members)
        for (const [wish, states] of of) {
          expect(states.map(told)).toEqual(wavesAt(WAVES, alone(members, wish), SIZES, NOBODY, NOW).map(told))
          for (const one of alone(members, wish).flat()) expect(one.state !== 'through' || isCounted(one)).toBe(true)
        }
        function isCounted({ id }: Wanting) {
          const one = members.find((member) => member.id === id)!
          return one.state === 'open' || counted.has(one)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

const REJECTED = fc.constantFrom('rejected', undefined)
/** Which of those that are not through are named is left open. */
const told = ({ why, ...state }: ReturnType<typeof wavesAt>[number]) => ({ ...state, why: why?.split(': ')[0] })

/** Who is in which wave for those that want exactly this. */
function alone(members: Wanting[], exact: string | null): Wanting[][] {
  const known = new Map<string | null, number>()
  for (const { state, exact: its = null, detected = 0 } of members)
    if (state === 'open') known.set(its, Math.max(known.get(its) ?? -Infinity, detected))
  const counts = (its: string | null, since: number) =>
    exact === null
      ? [...known].every(([one, at]) => (one !== null && one === its) || since >= at)
      : its === exact || since >= known.get(exact)!
  const as = members.flatMap((one): Wanting[] => {
    if (one.state === 'through') return counts(one.exact ?? null, one.since!) ? [one] : []
    const { had } = one
    if (exact !== null && had && counts(had.exact, had.since)) return [{ ...one, state: 'through', since: had.since }]
    return [one]
  })
  return byWave(as, WAVES.length)
}
