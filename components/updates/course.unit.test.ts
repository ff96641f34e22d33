import { describe, expect, it, test } from 'vitest'
import { hullSentence, type HullData } from '@/lib/domain/hull'
import type { Plan } from '@/lib/services/forecast/plan'
import { saidOf } from './course'
import { frameAt, hullAt, stepsOf, stepTo, underWayAt } from './course-at'
import {
  against,
  lasts,
  momentWords,
  overdue,
  restsOn,
  roomFor,
  standsWords,
  stepsThrough,
  triedAgain,
  unforetold,
} from './course-words'
import { change } from './testing'

const MINUTE = 60_000
const plan: Plan = {
  ...{ way: 'in-place', moving: 3, floor: 2, lowest: 2, start: 2, most: 3, ends: 3 * MINUTE, basis: {} },
  moves: [
    { machine: 'm1', work: 'create', from: 0, to: MINUTE },
    { machine: 'a', work: 'update', from: MINUTE, to: 2 * MINUTE },
    { machine: 'b', work: 'delete', from: 2 * MINUTE, to: 3 * MINUTE },
  ],
  frames: [
    { at: 0, available: 2, machines: 3, done: 0 },
    { at: MINUTE, available: 2, machines: 3, done: 1 },
  ],
  ...{ estimate: { p50: 3 * MINUTE, p90: 5 * MINUTE }, updated: 1, created: 1, deleted: 1 },
}
const hull: HullData = {
  total: 3,
  cells: [
    { id: '1', name: 'a', mark: 'in-place-with-spare' },
    { id: '2', name: 'b', mark: 'in-place-with-spare' },
    { id: null, name: 'not there yet', mark: 'new' },
  ],
  counts: [],
}
const marks = (at: number) =>
  hullAt(hull, plan, at)?.cells?.map(({ mark, done, moving }) => `${mark}${done ? ' done' : moving ? ' moving' : ''}`)

describe('the hull played forward', () => {
  it('shows each machine as it is at that moment', () => {
    expect(stepsOf(plan)).toEqual([-1, ...[0, 1, 2, 3].map((n) => n * MINUTE)])
    expect(stepsOf(plan, true)).toEqual([0, 1, 2, 3].map((n) => n * MINUTE))
    expect(marks(0)).toEqual(['in-place', 'replace', 'new moving'])
    expect(marks(MINUTE)).toEqual(['in-place moving', 'replace', 'up-to-date done'])
    expect(marks(2 * MINUTE)).toEqual(['in-place done', 'deleting moving', 'up-to-date done'])
    expect(marks(3 * MINUTE)).toEqual(['in-place done', 'deleting done', 'up-to-date done'])
    expect(underWayAt(plan.moves, MINUTE).map(({ machine }) => machine)).toEqual(['a'])
    expect(frameAt(plan.frames, 5 * MINUTE)).toMatchObject({ done: 1 })
  })

  it('says of what was updated and is not well yet that it is done, and shows it as it is', () => {
    const moves = [
      { machine: 'a', work: 'update' as const, from: 0, to: MINUTE },
      { machine: 'b', work: 'update' as const, from: MINUTE, to: 2 * MINUTE },
    ]
    const frames = [
      { at: 0, available: 1, machines: 2, done: 0 },
      { at: MINUTE, available: 1, machines: 2, done: 1 },
    ]
    const comes = { ...plan, moves, moving: 2, frames, returning: ['a'] }
    expect(momentWords(comes, 0, true)).toBe(
      'Now: 1 done, 1 available of 2; a is updated, and not available again yet.',
    )
    expect(momentWords(comes, MINUTE, true)).toBe('After 1 min: 1 done, 1 available of 2; b is being updated.')
    const cells = [
      { id: '1', name: 'a', mark: 'in-place' as const, done: true },
      { id: '2', name: 'b', mark: 'in-place' as const },
    ]
    expect(hullAt({ ...hull, cells }, comes, 0)?.cells).toEqual(cells)
  })

  it('leaves what is at work or not well, and has no step, as it is', () => {
    const cells = [
      { id: '1', name: 'a', mark: 'in-place' as const, moving: true },
      { id: '2', name: 'b', mark: 'not-ready' as const },
      { id: '3', name: 'c', mark: 'in-place' as const, done: true },
    ]
    const played = hullAt({ total: 3, cells, counts: [] }, { moves: [], moving: 0 }, 0)
    expect(played?.cells?.map(({ mark, moving }) => [mark, moving])).toEqual([
      ['in-place', true],
      ['not-ready', undefined],
      ['up-to-date', undefined],
    ])
  })

  it('what failed is there, and has failed until what is tried with it again ends', () => {
    const cells = [
      { id: '1', name: 'a', mark: 'failed' as const },
      { id: '2', name: 'b', mark: 'failed' as const },
      { id: '3', name: 'c', mark: 'new' as const, moving: true },
    ]
    const moves = [
      { machine: 'a', work: 'update' as const, from: 0, to: MINUTE },
      { machine: 'b', work: 'create' as const, from: 0, to: MINUTE },
      { machine: 'c', work: 'create' as const, from: 0, to: MINUTE },
    ]
    const at = (moment: number) => {
      const played = hullAt({ total: 3, cells, counts: [] }, { moves, moving: 3 }, moment)
      return played && hullSentence(played.counts)
    }
    expect(at(-1)).toBe('3 machines: 2 failed, 1 coming up.')
    expect(at(0)).toBe('3 machines: 2 failed, 1 coming up.')
    expect(at(MINUTE)).toBe('3 machines: 1 in place, done, 1 up to date, 1 new and ready.')
  })

  it('what only goes, and gets none in its place, is not said to be replaced', () => {
    const cells = [{ id: '1', name: 'a', mark: 'replace' as const }]
    const moves = [{ machine: 'a', work: 'delete' as const, from: MINUTE, to: 2 * MINUTE }]
    const played = hullAt({ total: 1, cells, counts: [] }, { moves, moving: 1 }, 0)
    expect(played && hullSentence(played.counts)).toBe('1 machine: 1 to be deleted.')
    const going = hullAt({ total: 1, cells, counts: [] }, { moves, moving: 1 }, MINUTE)
    expect(going && hullSentence(going.counts)).toBe('1 machine: 1 being deleted.')
  })

  it('is not drawn where not every step is known', () => {
    const large = { ...plan, moving: 900 }
    expect(hullAt(hull, large, 0)).toBeNull()
    expect(stepsOf(large)).toEqual([-1, MINUTE])
  })
})

describe('its words', () => {
  it('how long', () => {
    expect(lasts(plan)).toBe('About 3 min, in nine of ten cases at most 5 min.')
    const guessed = { update: { from: 'guess', machines: 0 } } as const
    expect(lasts({ ...plan, basis: guessed })).toBe('About 3 min, or as long as 5 min.')
    expect(lasts({ estimate: { p50: MINUTE, p90: MINUTE } })).toBe('About 1 min.')
    expect(lasts({ ...plan, notBefore: '2099-01-01T00:00:00Z' })).toMatch(
      /^Nothing moves before 2099-01-01T00:00:00Z; .*ten minutes of it. From then on: about 3 min, /,
    )
    expect(lasts({ estimate: null, stalled: 'Somebody deletes.' })).toBe('Somebody deletes.')
  })

  it('what that rests on', () => {
    const [guess, own, like] = [
      { from: 'guess', machines: 0 },
      { from: 'group', machines: 4 },
      { from: 'cluster', machines: 9 },
    ] as const
    expect(restsOn({ update: guess })).toContain('a guess')
    expect(restsOn({ update: own, create: guess })).toContain('partly a guess')
    expect(restsOn({ update: own })).toBe('The times are those of 4 machines of this group before.')
    expect(restsOn({ update: own, gap: { ...own, machines: 3 } })).toContain(' 4 machines of this group')
    expect(restsOn({ update: { ...guess, machines: 2 }, gap: guess })).toBe(
      'The times are a guess: only 2 machines of this group were measured before.',
    )
    expect(restsOn({ update: own, gap: guess })).toContain('partly a guess')
    expect(restsOn({ update: like })).toContain('9 machines of groups of this management cluster')
  })

  it('how low, and how much room', () => {
    const last = { at: MINUTE, available: 2, machines: 2, done: 2 }
    expect(roomFor({ ...plan, most: 2, frames: [last] })).toBe(
      'Available at the lowest: 2. It needs no spare capacity.',
    )
    // The spare is there, or on its way, already.
    expect(roomFor({ ...plan, start: 3, frames: [last] })).toContain(
      'no more room than it has now: 1 machine more than',
    )
    expect(roomFor({ ...plan, floor: null, lowest: null })).toBe('')
    const low = { ...plan, lowest: 1 }
    expect(roomFor(low)).toContain('1, below the floor of 2')
    expect(roomFor(low)).toContain('room for 1 machine more')
    expect(roomFor({ ...low, start: 3 })).toContain('below the floor of 2: some are not available already')
    expect(roomFor({ ...low, frames: [last] })).toContain('below the floor of 2: fewer are there already')
  })

  it('that what failed is played as if it went well', () => {
    const failed = (name: string) => ({ id: name, name, mark: 'failed' as const })
    const of = (...names: string[]) => ({ total: 9, cells: names.map(failed), counts: [] })
    expect(triedAgain(of('a'), plan)).toBe('a has failed: it is played as if it came through after all.')
    expect(triedAgain(of('a', 'm1'), plan)).toBe(
      '2 machines have failed: they are played as if they came through after all.',
    )
    expect(triedAgain(of('b', 'z'), plan)).toBeNull()
    // Accepted, and coming up still: it carries no such mark.
    const coming = { total: 9, cells: [{ id: 'a', name: 'a', mark: 'new' as const, moving: true }], counts: [] }
    expect(triedAgain(coming, plan)).toBeNull()
    expect(triedAgain(coming, plan, ['a', 'gone'])).toMatch(/^a has failed: it is played as if/)
    // What is kept from its end is not played as if all of it came through.
    expect(
      triedAgain(of('a'), { ...plan, stalled: 'Machines that are not available keep it from going on.' }),
    ).toBeNull()
  })

  it('what happens at a moment', () => {
    expect(momentWords(plan, -1)).toBe('At the start: 0 done, 2 available of 3.')
    expect(momentWords(plan, 0)).toBe('At once: 0 done, 2 available of 3; 1 machine is being created.')
    expect(momentWords(plan, 0, true)).toBe('Now: 0 done, 2 available of 3; 1 machine is being created.')
    expect(momentWords(plan, MINUTE)).toBe('After 1 min: 1 done, 2 available of 3; a is being updated.')
    expect(momentWords(plan, 0, true, true)).toMatch(/^A moment ago: 0 done/)
    expect(momentWords({ ...plan, moving: 900 }, MINUTE)).toBe('After 1 min: 1 done, 2 available of 3.')
  })

  it('that it stands still, and nothing of it is under way', () => {
    const pause =
      /^It stands still: somebody paused the group themselves\. Once that pause is taken away, it would go on /
    for (const state of ['approved', 'running', 'stuck'] as const)
      expect(standsWords({ state }, 'group')).toMatch(pause)
    expect(standsWords({ state: 'stuck' }, null)).toMatch(/^It stands still\. Once that is solved, /)
    for (const state of ['approved', 'running', 'waiting'] as const) expect(standsWords({ state }, null)).toBeNull()
    // Before it is let go it says what an approval would come to.
    expect(standsWords({ state: 'waiting' }, 'group')).toBeNull()
  })

  it('what takes far longer than such work takes is named, with what it says', () => {
    const now = Date.parse('2026-01-01T00:10:00Z')
    const at = (name: string, startedAt: string, finishedAt: string | null = null) => ({
      ...{ name, sentence: 'Being created: waiting for its infrastructure.' },
      progress: { state: 'created', predicted: null, message: null, startedAt, finishedAt },
    })
    const hung = at('m1', '2026-01-01T00:02:00Z')
    expect(overdue(plan, [hung], now)).toEqual([
      'Creating m1 takes longer than it should, 8 min so far: Being created: waiting for its infrastructure.',
      'What follows counts from when it goes on.',
    ])
    expect(overdue(plan, [at('m1', '2026-01-01T00:07:30Z')], now)).toEqual([])
    // What refuses its drain is said at once.
    const kept = { ...at('m1', '2026-01-01T00:09:50Z'), kept: 'The budget web of shop allows nothing.' }
    expect(overdue(plan, [kept], now)[0]).toBe(
      'Creating m1 is kept where it is, 10 s so far: The budget web of shop allows nothing.',
    )
    expect(overdue(plan, [at('m1', '2026-01-01T00:02:00Z', '2026-01-01T00:03:00Z')], now)).toEqual([])
    const gone = [{ machine: 'm1', work: 'delete' as const, from: 0, to: MINUTE }]
    expect(overdue({ moves: gone }, [hung], now)).toEqual([])
    // Its turn is not now, or nothing of it is played.
    expect(
      overdue(
        plan,
        [
          { ...hung, name: 'a' },
          { ...hung, name: 'x' },
        ],
        now,
      ),
    ).toEqual([])
    const moves = Array.from({ length: 5 }, (_, i) => ({
      machine: `n${i}`,
      work: 'create' as const,
      from: 0,
      to: MINUTE,
    }))
    const all = overdue(
      { moves },
      moves.map(({ machine }) => ({ ...hung, name: machine })),
      now,
    )
    expect([all.length, all.at(-1)]).toEqual([4, 'So it is with 2 more. What follows counts from when they go on.'])
  })

  it('where it is on what was foretold', () => {
    expect(against(plan, 2 * MINUTE, 2)).toMatch(/2 of 3 steps .* 2 are\.$/)
    // Behind the median, and within nine of ten.
    expect(against(plan, 2 * MINUTE, 1)).toMatch(/; 1 is\.$/)
    expect(against(plan, 3.5 * MINUTE, 1)).toContain('late')
    const estimate = { p50: 3 * MINUTE, p90: 5 * MINUTE, by: [1.5, 2.5, 5].map((n) => n * MINUTE) }
    expect(against({ ...plan, estimate }, 2.4 * MINUTE, 1)).not.toContain('late')
    // It is seen some seconds after it was done.
    expect(against({ ...plan, estimate }, 2.6 * MINUTE, 1)).not.toContain('late')
    expect(against({ ...plan, estimate }, 2.7 * MINUTE, 1)).toContain('late')
    expect(against(plan, 0, 1, 1)).toMatch(/; 1 is\.$/)
    expect(against(plan, 0, 1)).toMatch(/; 1 is: it is ahead\.$/)
    expect(against({ ...plan, moving: 900 }, 0, 0)).toBe('')
  })

  it('of what it is through with, only what that approval was given for', () => {
    const [before, approved, after] = ['2026-01-01T09:00:00Z', '2026-01-01T10:00:00Z', '2026-01-01T10:05:00Z']
    const one = (state: string, finishedAt: string | null, more: object = {}) => ({
      name: 'a',
      progress: { state, predicted: null, message: null, startedAt: before, finishedAt, ...more },
    })
    const through = (...machines: ReturnType<typeof one>[]) => stepsThrough(machines, plan, approved)
    expect(through(one('created', before), one('deleted', before), one('done', before))).toBe(0)
    expect(through(one('created', after), one('deleted', after), one('done', after))).toBe(3)
    // Remediated: that it goes, and another one comes for it, nobody approved.
    expect(through(one('deleted', after, { ill: true, predicted: 'in-place' }))).toBe(0)
    expect(through(one('created', after), one('created', after))).toBe(1)
    // It was through with its update before that.
    const updated = { ill: true, predicted: 'in-place', throughAt: after }
    expect(through(one('deleted', after, updated))).toBe(1)
    expect(through(one('deleting', null, { ...updated, throughAt: before }))).toBe(0)
    // What had nothing to do, and what is at it.
    expect(through({ name: 'a', progress: { ...one('done', after).progress, startedAt: null! } })).toBe(0)
    expect(through(one('updating', null), one('deleting', null), one('failed', null))).toBe(0)
  })

  it('of a pool, only nodes that it was foretold of', () => {
    const [approved, after] = ['2026-01-01T10:00:00Z', '2026-01-01T10:05:00Z']
    const done = (name: string) => ({
      name,
      progress: { state: 'done', predicted: 'in-place', message: null, startedAt: after, finishedAt: after },
    })
    const moves = ['a', 'b', 'c'].map((machine) => ({ machine, work: 'update' as const, from: 0, to: MINUTE }))
    const turns = { effect: null, atOnce: 1, zones: {}, ties: [], stays: [], elsewhere: [] }
    expect(stepsThrough([done('a'), done('x')], { moves, pool: turns }, approved)).toBe(1)
    expect(stepsThrough([done('a'), done('b'), done('x')], { moves, pool: turns }, approved)).toBe(2)
  })
})

describe('what cannot be foretold', () => {
  const of = (groupKind: string, pairs: number) =>
    unforetold({ groupKind, changeSet: { pairs: Array(pairs).fill(0) } }).join()
  it('is said of this kind of group', () => {
    expect(of('KubeadmControlPlane', 3)).toMatch(/falls ill/)
    expect(of('KubeadmControlPlane', 3)).not.toMatch(/revisions/)
    expect(of('MachineDeployment', 2)).toMatch(/several old revisions/)
    expect(of('MachineDeployment', 1)).not.toMatch(/revisions|falls ill/)
  })
})

test.each([
  ['a key forward', 0, 0, 1],
  ['and on, from the moment at which it begins', 1, 1, 2],
  ['a key back', 2, 59_999, 1],
  ['at the end', 3, 90_001, 3],
  ['back to before it began', 1, -1, 0],
  ['dragged', 0, 70_000, 2],
  ['to the end', 0, 90_000, 3],
])('the slider stands where the moment is on the chart: %s', (_, step, value, wanted) =>
  expect(stepTo([-1, 0, 60_000, 90_000], step, value)).toBe(wanted),
)

test.each([
  ['waiting', true],
  ['approved', true],
  ['running', false],
  ['stuck', false],
] as const)('a rollout that is %s is played anew when more of it is done: %s', (state, anew) => {
  const { outlook } = change({})
  const done = (count: number) => ({
    total: 5,
    cells: null,
    counts: [{ mark: 'in-place' as const, done: true, count }],
  })
  const said = (count: number) => saidOf({ state, outlook, hull: done(count) } as Parameters<typeof saidOf>[0])
  expect(said(3) !== said(2)).toBe(anew)
})
