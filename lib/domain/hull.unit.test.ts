import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asLeft, binsOf, hullSentence, markOf, mergeCounts, withMissing, WORST_FIRST, type HullCount } from './hull'

const counts = fc.array(
  fc.record({
    mark: fc.constantFrom(...WORST_FIRST),
    done: fc.boolean(),
    moving: fc.boolean(),
    count: fc.integer({ min: 0, max: 20_000 }),
  }),
  { maxLength: 30 },
)
const sum = (list: HullCount[]) => list.reduce((n, c) => n + c.count, 0)

describe('bins', () => {
  it('lose no machine, mix no kinds, and stay few', () => {
    fc.assert(
      fc.property(counts, (list) => {
        const bins = binsOf(list)
        expect(sum(bins)).toBe(sum(list))
        expect(mergeCounts(bins)).toEqual(mergeCounts(list))
        expect(bins.length).toBeLessThanOrEqual(60 + WORST_FIRST.length * 4)
        expect(bins.every((bin) => bin.count > 0)).toBe(true)
      }),
    )
  })
  it('put one failed machine among ten thousand first, alone', () => {
    const bins = binsOf([
      { mark: 'up-to-date', count: 9_999 },
      { mark: 'failed', count: 1 },
    ])
    expect(bins[0]).toMatchObject({ mark: 'failed', count: 1 })
    expect(bins.length).toBeLessThan(62)
  })
})

describe('machines that are wanted and not there', () => {
  const hull = {
    total: 1,
    cells: [{ id: 'a', name: 'a', mark: 'up-to-date' as const }],
    counts: [{ mark: 'up-to-date' as const, count: 1 }],
  }
  it('are drawn after those that are there, and counted', () => {
    const more = withMissing(hull, 2, 48, 'the spare')
    expect(more.cells?.map(({ mark, note }) => [mark, note])).toEqual([
      ['up-to-date', undefined],
      ['new', 'the spare'],
      ['new', 'the spare'],
    ])
    expect(more.total).toBe(3)
    expect(hullSentence(more.counts)).toBe('3 machines: 2 not there yet, 1 up to date.')
    expect(more.cells?.map(({ id }) => id === null)).toEqual([false, true, true])
  })
  it('leave a hull as it is where none is missing, and one without cells without cells', () => {
    expect(withMissing(hull, 0, 48)).toBe(hull)
    expect(withMissing(hull, -1, 48)).toBe(hull)
    expect(withMissing({ ...hull, cells: null }, 1, 48).cells).toBeNull()
  })
  it('are counted where there are too many to draw', () => {
    expect(withMissing(hull, 47, 48).cells).toHaveLength(48)
    expect(withMissing(hull, 30_000, 48)).toMatchObject({ total: 30_001, cells: null })
    expect(hullSentence(withMissing(hull, 30_000, 48).counts)).toBe(
      '30001 machines: 30000 not there yet, 1 up to date.',
    )
  })
})

describe('marks', () => {
  it.each([
    [{ state: 'ready', verdict: 'up-to-date' }, { mark: 'up-to-date' }],
    [{ state: 'ready', verdict: 'replace' }, { mark: 'replace' }],
    [{ state: 'failed', verdict: 'in-place' }, { mark: 'failed' }],
    [{ state: 'ready', verdict: 'replace', error: true }, { mark: 'failed' }],
    [{ state: 'deleting', verdict: 'replace', error: true, progress: 'failed' }, { mark: 'failed' }],
    [
      { state: 'deleting', verdict: 'replace', error: true },
      { mark: 'failed', moving: true },
    ],
    [
      { state: 'updating', verdict: 'in-place' },
      { mark: 'in-place', moving: true },
    ],
    [
      { state: 'ready', verdict: 'up-to-date', progress: 'done', predicted: 'in-place' },
      { mark: 'in-place', done: true },
    ],
    // Out of the record of a finished change: nothing was predicted, yet it was done in place.
    [
      { state: null, verdict: null, progress: 'done', predicted: null },
      { mark: 'in-place', done: true },
    ],
    [
      { state: null, verdict: null, progress: 'deleted', predicted: null },
      { mark: 'deleting', done: true },
    ],
    [{ state: 'ready', verdict: 'up-to-date', progress: 'failed' }, { mark: 'failed' }],
    [{ state: 'not-ready', verdict: 'up-to-date', progress: 'away', predicted: 'in-place' }, { mark: 'not-ready' }],
    [
      { state: 'provisioning', verdict: 'up-to-date' },
      { mark: 'new', moving: true },
    ],
    [
      { state: 'ready', verdict: 'up-to-date', progress: 'created' },
      { mark: 'up-to-date', done: true },
    ],
    [
      { state: null, verdict: null, progress: 'created' },
      { mark: 'up-to-date', done: true },
    ],
    [
      { state: 'provisioning', verdict: 'up-to-date', progress: 'created' },
      { mark: 'new', moving: true },
    ],
    [
      { state: 'not-ready', verdict: 'up-to-date', progress: 'created' },
      { mark: 'new', moving: true },
    ],
    [
      { state: 'unknown', verdict: 'up-to-date', progress: 'created' },
      { mark: 'new', moving: true },
    ],
    [
      { state: 'deleting', verdict: 'up-to-date', progress: 'created' },
      { mark: 'deleting', moving: true },
    ],
    [{ state: 'ready', verdict: 'nonsense' }, { mark: 'unknown' }],
  ])('%j is drawn as %j', (input, mark) => {
    expect(markOf(input)).toMatchObject(mark)
  })
})

describe('the sentence', () => {
  it('of what was left says how it was then, and nothing of what was on its way is ready', () => {
    const counts: HullCount[] = [
      { ...markOf({ progress: 'created', state: 'provisioning' }), count: 4 },
      { ...markOf({ progress: 'created' }), count: 1 },
      { ...markOf({ progress: 'deleting' }), count: 2 },
      { ...markOf({ verdict: 'untouched', progress: 'waiting' }), count: 3 },
    ]
    expect(hullSentence(asLeft({ total: 10, cells: null, counts }).counts)).toBe(
      '10 machines: 2 being deleted then, 4 being made then, 3 not touched by then, 1 new and ready.',
    )
  })
  it('counts everything, the worst first', () => {
    expect(
      hullSentence([
        { mark: 'up-to-date', count: 3 },
        { mark: 'in-place', count: 1, done: true },
        { mark: 'failed', count: 1 },
      ]),
    ).toBe('5 machines: 1 failed, 1 in place, done, 3 up to date.')
  })
  it('says when there are none', () => expect(hullSentence([])).toBe('No machines.'))
})

it('calls a node that is only cordoned not available, for it is Ready', () => {
  expect(hullSentence([{ mark: 'not-ready', count: 1 }])).toBe('1 machine: 1 not available.')
})

it('calls a machine whose drain is blocked stuck, and not failed: it may go on', () => {
  const blocked = markOf({ state: 'deleting', verdict: 'replace', error: true })
  expect(hullSentence([{ ...blocked, count: 2 }])).toBe('2 machines: 2 stuck.')
})
