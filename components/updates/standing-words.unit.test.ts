import { describe, expect, it } from 'vitest'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import {
  closesFor,
  goOnWords,
  mineToTakeBack,
  nobodyDecides,
  nothingToHold,
  pausedWords,
  restWords,
  resumeWords,
  standingToTakeBack,
  waitsFor,
  wantOneByOne,
  yoursWords,
  type Asked,
} from './standing-words'
import { change } from './testing'
import { whyOf } from './words'

const timing = { besides: [] }
const mine = { mine: true, mode: 'in-place', endedAt: null, whyNot: null, takeBack: 'plain' }
const asked = (approval: object, missing = 1, due = false) =>
  ({
    ...{ rules: {}, listed: { due, timing }, approvals: [{ ...mine, ...approval }] },
    ways: { 'in-place': { missing }, replace: { missing: 2 } },
  }) as unknown as Asked

it.each<[string, Asked, boolean]>([
  ['what this person approved, and others still have to', asked({}), true],
  ['not what somebody else did', asked({ mine: false }), false],
  ['not what is over', asked({ endedAt: 'then' }), false],
  ['not what does not count', asked({ whyNot: 'no-reason' }), false],
  ['not where one more click lets it go', asked({}, 0), false],
  ['not what only waits for its time', asked({}, 0, true), false],
  ['not where it cannot be', asked({ takeBack: null }), false],
  ['not where nothing is known', { problem: 'x', hint: null }, false],
])('where the button to approve is, it is taken back: %s', (_, given, is) =>
  expect(mineToTakeBack(given) !== null).toBe(is),
)

it('where enough approve it and it waits for its time, it is taken back there, too', () => {
  expect(standingToTakeBack(asked({}, 0, true))).not.toBeNull()
  expect(standingToTakeBack(asked({}))).toBeNull()
  expect(standingToTakeBack(asked({ takeBack: null }, 0, true))).toBeNull()
  expect(standingToTakeBack(asked({ mine: false }, 0, true))).toBeNull()
})

it.each<[string, object, string[]]>([
  ['somebody else approved it so', {}, ['Ada']],
  ['this person did: the newest word counts', { mine: true }, []],
  ['the other way', { mode: 'replace' }, []],
  ['taken back', { endedAt: 'then' }, []],
  ['it does not count', { whyNot: 'no-reason' }, []],
  ['all machines', { oneByOne: false }, []],
])('one machine at a time, where %s', (_, more, who) =>
  expect(wantOneByOne(asked({ actorName: 'Ada', mine: false, oneByOne: true, ...more }), 'in-place')).toEqual(who),
)

const begun = (...states: (string | null)[]) => states.map((state) => ({ progress: state && { state } }))
it.each<[string, object, RegExp, boolean?]>([
  ['nothing is held yet', { machinesList: begun('updating', 'waiting') }, /the rest is being held/],
  ['the hold stands', { heldWords: 'x', machinesList: begun('updating', 'waiting') }, /the rest is held/],
  ['of one nothing is known', { machinesList: begun('updating', null) }, /the rest is being held/],
  ['all have begun', { machinesList: begun('updating', 'failed', 'done') }, /Every machine has begun/, true],
  [
    'one is ill, and has not begun',
    { machinesList: [{ progress: { state: 'failed', startedAt: null } }, ...begun('updating')] },
    /the rest is being held/,
  ],
  ['all have it', { settling: true }, /nothing is left to hold/, true],
])('what becomes of the rest where %s', (_, change, words, none = false) => {
  const of = { heldWords: null, unheard: null, settling: false, ...change } as never
  expect(restWords(of)).toMatch(words)
  // Nor is it offered not to wait then.
  expect(nothingToHold(of)).toBe(none)
})

const BY_ITSELF = 'Its policy asks nobody: it goes by itself, as soon as its windows, freezes, waves and pauses let it.'
const GOES = 'It goes on with what it was approved with, as soon as its windows, freezes, waves and pauses let it.'
const STOPPED = {
  besides: [{ why: 'wave', wave: { place: { state: 'stopped', why: 'its waves were stopped by Ada (hold on)' } } }],
}
const THOSE_TOO =
  'Now its waves were stopped by Ada (hold on): nothing more of it goes before somebody lets those go on, too.'
const ways = (missing: number, forbidden: string | null = null) => ({ 'in-place': { missing, forbidden } })
it.each<[string, object, string]>([
  ['as approved', { listed: { due: true, timing }, ways: ways(0) }, GOES],
  ['its waves are stopped', { listed: { due: true, timing: STOPPED }, ways: ways(0) }, `${GOES} ${THOSE_TOO}`],
  ['its policy asks nobody', { listed: { due: false, timing }, unasked: { goes: true }, ways: ways(1) }, BY_ITSELF],
  [
    'half way, and its policy asks nobody',
    { listed: { due: true, timing }, unasked: { goes: true }, ways: ways(1) },
    BY_ITSELF,
  ],
  ['its policy asks for more', { listed: {}, ways: ways(2) }, '2 approvals are missing by now: it waits for them.'],
  ['for one more', { listed: {}, ways: ways(1) }, '1 approval is missing by now: it waits for it.'],
  ['not so any more', { listed: {}, ways: ways(0, 'No.') }, 'It does not go on so: No.'],
  ['fewer by now', { listed: {}, ways: ways(0) }, 'It waits until somebody approves it once more.'],
])('what becomes of it when somebody lets it go on: %s', (_, given, words) => {
  const change = { dueMode: 'in-place', outlook: { inPlace: {} } } as Parameters<typeof goOnWords>[0]
  expect(goOnWords(change, { rules: {}, ...given } as unknown as Asked)).toBe(words)
})

it('of what was paused and stopped besides, says that resuming it is not enough', () => {
  const of = (stopped: { policy: string } | null) =>
    resumeWords(
      { dueMode: 'in-place', outlook: { inPlace: {} }, state: 'running', stopped } as never,
      asked({}, 0, true),
    )
  expect(of(null)).toBe(GOES)
  expect(of({ policy: 'p' })).toMatch(/^It also stopped by itself: nothing more of it goes until .*Go on…”, too\.$/)
  expect(of({ policy: '' })).toBe('It also stopped: nothing more of it goes by this alone.')
})

it('of what was paused, and nobody approved, says that it needs both', () => {
  const of = (state: 'waiting' | 'rejected', policy: Asked) =>
    pausedWords({ state, policy, heldWords: null, unheard: null, settling: false })
  expect(of('waiting', asked({}, 0, true))).toBe('Nothing more begins before somebody resumes it.')
  const both = 'Nothing more begins before it is approved and somebody resumes it: it needs both, in either order.'
  expect(of('waiting', asked({}))).toBe(both)
  expect(of('rejected', asked({}))).toBe(both)
  const goes = { rules: {}, listed: { due: false, goes: true } } as unknown as Asked
  expect(of('waiting', goes)).toBe('Nothing more begins before somebody resumes it.')
  expect(of('waiting', { problem: 'x', hint: null } as Asked)).toBe('Nothing more begins before somebody resumes it.')
})

it('what runs and was paused is held when the hold is on its group, and says who is not there to put it there', () => {
  const of = (heldWords: string | null, unheard: 'no-worker' | 'no-answer' | null = null) =>
    pausedWords({ state: 'running', policy: asked({}), heldWords, unheard, settling: false })
  expect(of('Stopped: paused by Oda', 'no-worker')).toBe('Machines that have begun are finished; the rest is held.')
  const being = 'Machines that have begun are finished; the rest is being held.'
  expect(of(null)).toBe(being)
  expect(of(null, 'no-worker')).toBe(
    `${being} No worker of Drydock follows its cluster: nobody holds it until one does, and machines may begin until then.`,
  )
  expect(of(null, 'no-answer')).toContain('Its cluster does not answer Drydock: it is not held before that')
})

it('until when it may move says who would not hold it then; and of what is approved, who is to send that', () => {
  const timing = { closes: '2026-11-28T21:00:00Z', closesBy: { why: 'window', span: null, policy: 'nights' } } as never
  expect(closesFor(timing, true, null)).toMatch(/ends, and it is held: .* when the next window opens\.$/)
  expect(closesFor(timing, true, 'no-worker')).toMatch(
    /opens\. No worker of Drydock follows its cluster: nobody holds it until one does, and machines may begin until then\.$/,
  )
  expect(closesFor(timing, false, 'no-worker')).toMatch(
    /next window\. While no worker of Drydock follows its cluster, nobody holds it then\.$/,
  )
  expect(closesFor(timing, false, 'no-answer')).toMatch(
    /While its cluster does not answer Drydock, it is not held then\.$/,
  )
  const change = { state: 'waiting', outlook: {}, decision: null, heldBy: 'latch' } as never
  const listed = { due: true, goes: false, given: 1, needed: 1, forbidden: null, timing: { open: true } } as never
  expect(whyOf(change, listed)).toBe('Approved: it goes as soon as a worker of Drydock sends that to its cluster')
})

it('of what its policy asks nobody about, and is not known yet, is no approval said to be missing', () => {
  const change = { state: 'waiting', outlook: {}, decision: null, heldBy: 'latch' } as never
  const listed = { due: false, goes: false, open: true, given: 0, needed: 1, timing: { open: true } } as never
  expect(whyOf(change, listed)).toBe('Its policy asks nobody: it goes by itself once it is known that it can in place')
})

describe('what nothing of Drydock holds', () => {
  const listed = { due: false, goes: false, given: 0, otherwise: 0, needed: 1, timing: { open: true } }
  const standing = listed as unknown as ListedStanding
  const policy = { rules: {}, listed } as unknown as Asked
  const of = (groupKind: string, governed: boolean, gateState = 'unregistered', heldBy = 'person', is: object = {}) =>
    nobodyDecides({
      ...{ groupKind, heldBy: heldBy as 'person', governance: { governed, gateState } as never },
      policy: { ...policy, listed: { ...listed, ...is } } as unknown as Asked,
    })

  it('waits for no approval', () => {
    expect(waitsFor(standing, 'person')).toEqual({ words: 'Paused by somebody', tone: 'plain' })
    expect(waitsFor(standing, 'none').words).toBe('Nothing holds it')
    expect(waitsFor(standing, 'latch').words).toBe('Waiting for 1 approval')
    expect(yoursWords(policy, 'person')).toBe('')
    expect(whyOf(change({ heldBy: 'person' }), standing)).toBe('Somebody’s own pause keeps it, not Drydock')
  })

  it('is decided on by nobody where it is not governed and no gate asks, a pool or a group of Cluster API', () => {
    expect(of('MachineConfigPool', false)).toBe(
      'Nobody is asked: Drydock does not govern this pool, and it goes when that pause is taken away.',
    )
    expect(of('MachineDeployment', false)).toMatch(/^Nobody is asked: Drydock does not govern this group/)
    expect(of('MachineConfigPool', false, 'registered')).not.toBeNull()
    expect(of('MachineDeployment', false, 'registered')).toBeNull()
    expect(of('MachineConfigPool', true)).toBeNull()
    expect(of('MachineConfigPool', false, 'unregistered', 'latch')).toBeNull()
    expect(of('MachineConfigPool', false, 'unregistered', 'person', { due: true })).toBeNull()
  })
})

it('of what is approved, and somebody paused themselves, promises nothing that does not come by itself', () => {
  const timing = { open: false, why: 'window', opens: '2026-11-28T21:00:00Z', also: [], apart: [], besides: [] }
  const listed = { due: true, goes: false, given: 1, needed: 1, forbidden: null, timing } as unknown as ListedStanding
  expect(waitsFor(listed, 'latch', null, 'group')).toEqual({ words: 'Approved, and paused by somebody', tone: 'needs' })
  const both = 'Half way, and paused by somebody, as is its Cluster'
  expect(waitsFor(listed, 'latch', 'some', 'both').words).toBe(both)
  expect(waitsFor({ ...listed, due: false, goes: true }, 'latch', null, 'cluster').words).toBe(
    'No approval asked, and its Cluster is paused by somebody',
  )
  const policy = { rules: {}, listed } as unknown as Asked
  expect(yoursWords(policy, 'latch', 'group')).toBe('It is approved, and somebody’s own pause keeps it.')
  expect(yoursWords(policy, 'latch')).toBe('It is approved: nothing more is asked of anybody.')
  const paused = { rules: {}, listed: { ...listed, timing: { ...timing, paused: { by: 'Ada' } } } } as unknown as Asked
  expect(yoursWords(paused, 'latch', 'group')).toBe(
    'It is approved, and goes on when somebody resumes it, and that pause is taken away.',
  )
  // Half way, by a policy that asks nobody.
  const unasked = { rules: {}, listed: { ...listed, goes: true }, unasked: { goes: true } } as unknown as Asked
  expect(yoursWords(unasked, 'latch', 'group')).toBe('Its policy asks nobody, and somebody’s own pause keeps it.')
  expect(yoursWords(unasked, 'latch')).toBe('Its policy asks nobody: nothing more is asked of anybody.')
  const why = whyOf({ state: 'waiting', outlook: {}, decision: null, heldBy: 'latch' } as never, listed, 'group')
  expect(why).toMatch(/\. Somebody’s own pause keeps it besides\.$/)
})

it('of what waits for approvals, says how many expired', () => {
  const listed = { way: 'in-place', given: 0, otherwise: 0, needed: 2, forbidden: null, expired: 1, timing } as never
  expect(waitsFor(listed).words).toBe('Waiting for 2 approvals, 1 expired')
})
