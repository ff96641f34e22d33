import { describe, expect, it } from 'vitest'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import type { PoolDetail } from '@/lib/services/pools/get-pool'
import type { PoolChange } from '@/lib/services/pools/open-change'
import { timingDto, type TimingDto } from '@/lib/services/policies/timing'
import {
  begunBeforeWords,
  begunWords,
  changeWords,
  imageWanted,
  countWords,
  heldHere,
  keptWords,
  pauseTimes,
  phaseWords,
  sinceWords,
  stateOf,
  zoneWords,
} from './words'

const OPEN = timingDto({ open: true, until: null })
const WINDOW: TimingDto = {
  ...OPEN,
  ...{ open: false, why: 'window', policy: 'nights', opens: '2026-11-28T21:00:00.000Z', zone: 'UTC' },
}
const PAUSED: TimingDto = { ...OPEN, open: false, why: 'paused', paused: { by: 'Ada', reason: null, at: '' } }
const standing = (more: Partial<ListedStanding>): ListedStanding => ({
  ...{
    way: 'in-place',
    given: 0,
    otherwise: 0,
    needed: 1,
    tooFew: null,
    forbidden: null,
    due: false,
    stands: false,
    goes: false,
    open: false,
  },
  ...{ timing: OPEN, early: null, ...more },
})
const change = (more: Partial<PoolChange> = {}): PoolChange => ({
  ...{ id: 'c', state: 'waiting', summary: 's', heldBy: 'latch', standing: standing({}), asks: true, image: false },
  ...{ detectedAt: '2026-11-26T11:00:00.000Z', firstSeen: false },
  ...{ goesByItself: false, nobody: false, refused: false, unapproved: null, awaited: null, ...more },
})
const due = (timing: TimingDto, more: Partial<PoolChange> = {}) =>
  change({ standing: standing({ given: 1, due: true, timing }), asks: false, ...more })
const pool = (of: PoolChange, more: Partial<PoolDetail['hold']> = {}, paused = true) => ({
  paused,
  ...{ counts: { machines: 5, updated: 1, ready: 5, unavailable: 0, degraded: 0 }, phases: {} },
  hold: {
    ...{ strength: '', held: false, kept: false, governed: true, unguarded: false, change: of, begunUnapproved: [] },
    begunBefore: [],
    ...more,
  },
})
const before = (...of: Parameters<typeof pool>) => changeWords(pool(...of)).before

it('of a configuration that no node lacks it is said that no node waits, until it is approved', () => {
  const of = (more: Partial<PoolChange> = {}) => change({ nobody: true, ...more })
  const shown = (it: PoolChange) => stateOf({ state: 'behind', held: true, change: it })
  expect(before(of())).toBe('A configuration is held for whichever node comes, and no node waits')
  expect(shown(of())).toEqual({ tone: 'plain', words: 'held, no node waits' })
  expect(shown(of({ asks: false })).words).not.toBe('held, no node waits')
})

it('says what becomes of the configuration of a pool', () => {
  expect(before(change())).toBe('A configuration waits for a decision')
  expect(before(change(), { governed: false })).toContain('nobody is asked')
  expect(before(change({ state: 'rejected' }))).toBe('Its configuration was rejected')
  expect(before(change({ state: 'running' }))).toContain('before the pool is resumed')
  const awaited = { names: ['a', 'b'], says: 'It is not Ready.' }
  expect(before(change({ state: 'running', awaited }), {}, false)).toBe(
    'Every node has its configuration, and it is done when a and b are available again',
  )
  const none = { ...pool(change({ state: 'running' })), counts: { ...pool(change()).counts, updated: 0 } }
  expect(changeWords(none).before).toBe('Nothing of its configuration begins before the pool is resumed')
  expect(changeWords({ ...none, phases: { draining: 1 } }).before).toMatch(/^Nothing more of its/)
  expect(before(change({ state: 'running' }), {}, false)).toBe('A configuration is under way')
})

describe('of what is approved', () => {
  const waits = due(WINDOW, { goesByItself: true })

  it('asks for no decision, and says when it goes', () => {
    expect(changeWords(pool(waits, { held: true }))).toEqual({
      before: 'A configuration is approved, and waits for its time',
      after: ['It is outside the windows of the policy nights, until 2026-11-28 21:00 UTC.', 'It goes by itself then.'],
    })
    expect(heldHere({ change: waits, unguarded: false })).toContain(
      'Drydock holds it, and resumes it when its configuration goes.',
    )
    for (const of of [change(), change({ state: 'rejected' })])
      expect(heldHere({ change: of, unguarded: false })).toContain('approving its configuration resumes it')
  })

  it('and somebody keeps, promises no time', () => {
    const { before: words, after } = changeWords(pool(due(PAUSED)))
    expect(words).toBe('A configuration is approved, and does not go yet')
    expect(after).toEqual(['Ada has paused it.', 'It goes by itself when somebody resumes it.'])
  })

  it('says of nodes that have all begun that they go on, whatever its time is', () => {
    const closed = { ...WINDOW, opens: null }
    const begun = (is: PoolChange['begun']) => changeWords(pool(due(closed, { begun: is })))
    expect(begun('all')).toEqual({
      before: 'Every node has begun its configuration, and goes on to its end',
      after: [],
    })
    expect(begun('some').before).toContain('is approved, and')
  })

  it('or needs no approval, says so', () => {
    const goes = change({
      standing: standing({ needed: 0, goes: true, timing: WINDOW }),
      asks: false,
      goesByItself: true,
    })
    expect(before(goes)).toBe('A configuration needs no approval, and waits for its time')
    expect(stateOf({ state: 'behind', held: true, change: goes }).words).toBe(
      'held, no approval asked, goes 2026-11-28 21:00 UTC',
    )
  })
})

describe('what Drydock holds, and nobody has approved', () => {
  const WAVE: TimingDto = {
    ...OPEN,
    ...{ open: false, why: 'wave' },
    wave: {
      policy: { id: 'p', name: 'pool-waves' },
      place: {
        ...{ policyId: 'p', version: 1, name: 'second', index: 1, of: 3, state: 'waits', opens: null },
        ...{ why: 'somebody has to say that it begins', asksPerson: true, asksThen: true, needsPerson: true },
      },
    },
  }
  const held = (more: Partial<ListedStanding>) =>
    heldHere({ change: change({ standing: standing(more) }), unguarded: false })

  it.each<[string, Partial<ListedStanding>, string]>([
    [
      'a window keeps besides',
      { timing: WINDOW },
      'Drydock holds it, and an approval alone does not resume it. It is outside the windows of the policy nights, until 2026-11-28 21:00 UTC. What is approved now goes by itself then. Pause it yourself,',
    ],
    [
      'a wave keeps besides that somebody begins',
      { timing: WAVE },
      'Drydock holds it, and an approval alone does not resume it. It is in wave 2 of 3 (second) of the policy pool-waves, which waits: somebody has to say that it begins. What is approved now goes when somebody says so. Pause it yourself,',
    ],
    ['nothing else keeps', {}, 'Drydock holds it: approving its configuration resumes it. Pause it yourself,'],
    ['several have to approve', { needed: 2 }, 'Drydock holds it: 2 approvals of its configuration resume it.'],
    ['no policy lets go', { forbidden: 'No.' }, 'Drydock holds it, and no approval resumes it: No. Pause'],
  ])('%s', (_, more, words) => expect(held(more)).toContain(words))

  it('promises nothing where its policies are not known', () => {
    for (const of of [change({ standing: null }), null])
      expect(heldHere({ change: of, unguarded: false })).toContain(
        'Drydock holds it until its configuration is approved, and may go.',
      )
  })
})

it('says of a pool whose latch was removed that nothing guards its pause', () => {
  expect(heldHere({ change: change(), unguarded: true })).toMatch(
    /^It is paused, and nothing guards that: no latch is installed in its cluster, and anybody who may edit the pool can let it go\. Drydock leaves it paused: approving its configuration resumes it\./,
  )
})

it.each([
  [[], /^$/],
  [['a'], /when a node began to take it up: a\./],
  [['a', 'b'], /^It was not let go when 2 nodes began to take it up: a, b\. What has begun goes through to the end\.$/],
  [['a', 'b', 'c', 'd', 'e', 'f', 'g'], /7 nodes began to take it up: a, b, c, d, e and 2 more\./],
])('names the nodes that began unapproved: %j', (begunUnapproved, words) =>
  expect(begunWords({ begunUnapproved })).toMatch(words),
)

it('names those that began with what is over', () => {
  expect(begunBeforeWords({ nodes: ['a'], isDone: false }).join('x')).toMatch(
    /^A node began to take up x, which a newer .*: a\.$/,
  )
  expect(begunBeforeWords({ nodes: [...'abcdefg'], isDone: false }).join('x')).toMatch(
    /^7 nodes began .*: a, b, c, d, e and 2 more\.$/,
  )
  expect(begunBeforeWords({ nodes: ['a', 'b'], isDone: true }).join('x')).toBe(
    '2 nodes began to take up x, and it was not let go: a, b.',
  )
})

describe('the chip of a pool', () => {
  const chip = (of: PoolChange | null, held = true) => stateOf({ state: 'behind', held, change: of })

  it('tells what Drydock holds from what a person paused', () => {
    expect(chip(change())).toEqual({ tone: 'needs', words: 'held, waits for approval' })
    expect(chip(change({ standing: null })).words).toBe('held, waits for approval')
    expect(chip(change(), false).words).toBe('paused, behind')
    expect(chip(null).words).toBe('held, behind')
    expect(stateOf({ state: 'degraded', held: true, change: change() }).words).toBe('degraded')
    expect(stateOf({ state: 'paused', held: true, change: null }).words).toBe('held')
  })

  it('asks for an approval only where one is missing', () => {
    expect(chip(due(WINDOW))).toEqual({ tone: 'plain', words: 'held, approved, goes 2026-11-28 21:00 UTC' })
    expect(chip(due(PAUSED)).words).toBe('held, approved, paused by Ada')
    expect(chip({ ...due(WINDOW), begun: 'some' }).words).toBe('held, half way, goes on 2026-11-28 21:00 UTC')
    expect(chip({ ...due(WINDOW), begun: 'all' }).words).toBe('held, every node has begun, and goes on to its end')
    expect(chip(change({ state: 'approved', standing: null, asks: false })).words).toContain('about to start')
    expect(chip(change({ state: 'rejected', standing: null })).words).toBe('held, rejected')
    expect(chip(change({ refused: true })).tone).toBe('bad')
    expect(chip(change({ standing: standing({ forbidden: 'no' }) })).words).toBe('held, its policy does not allow it')
  })
})

it('says of what moves that nobody approved it, as the change does', () => {
  const taken = change({ state: 'running', standing: null, asks: false, unapproved: 'taken' })
  expect(stateOf({ state: 'updating', held: false, change: taken })).toEqual({
    tone: 'needs',
    words: 'updating, and nobody approved it',
  })
  expect(before(taken, {}, false)).toBe(
    'A configuration is under way, and nobody approved it: its hold was taken away outside Drydock',
  )
})

it('knows since when Drydock holds a pool where it saw that', () => {
  const since = (of: PoolChange | null, pausedSince: string | null, held = true, sinceKnown = false) =>
    sinceWords({ held, change: of, pausedSince, sinceKnown })
  expect(since(null, '2026-11-26T11:00:00.000Z', false, true)).toBe('')
  expect(since(change(), '2026-11-26T11:00:00.000Z')).toBe('')
  expect(since(change(), '2026-11-26T10:59:58.000Z')).toBe('')
  // Held for what came before, by somebody, or before it was seen.
  for (const told of [
    since(change(), '2026-11-26T10:00:00.000Z'),
    since(change(), '2026-11-26T11:00:00.000Z', false),
    since(change({ firstSeen: true }), '2026-11-26T11:00:00.000Z'),
    since(null, '2026-11-26T11:00:00.000Z'),
  ])
    expect(told).toBe(' or earlier')
})

it('a person’s pause over Drydock’s hold began with their decision, and the hold before it', () => {
  const [held, decided] = ['2026-11-26T11:00:00.000Z', '2026-11-26T11:25:00.000Z']
  const soon = '2026-11-26T11:00:40.000Z'
  const times = (
    of: PoolChange | null,
    recordedAt: string | null,
    isHeld = false,
    sinceKnown = false,
    kept = !isHeld,
  ) =>
    pauseTimes({
      ...{ pausedSince: held, sinceKnown, pausedFirst: recordedAt === null ? null : { recordedAt, actorName: 'Vi' } },
      hold: pool(change(), { held: isHeld, kept, change: of }).hold,
    })
  expect(times(change(), decided)).toEqual([
    { what: 'held', at: held, or: '' },
    { what: 'paused by Vi', at: decided, or: '' },
  ])
  // That hold was let go since: it is held no more.
  expect(times(change(), decided, false, false, false)).toEqual([{ what: 'paused by Vi', at: decided, or: '' }])
  expect(times(null, decided)[0]).toEqual({ what: 'held', at: held, or: ' or earlier' })
  expect(times(change(), held, false, true)).toEqual([{ what: 'paused', at: held, or: '' }])
  expect(times(change(), null, true)).toEqual([{ what: 'held', at: held, or: '' }])
  expect(times(null, null)).toEqual([{ what: 'paused', at: held, or: ' or earlier' }])
  // Soon after the hold: the decision tells when.
  expect(times(change(), soon)).toEqual([{ what: 'paused by Vi', at: soon, or: '' }])
})

it('below a person’s pause its time lets nothing go but Drydock’s own hold', () => {
  expect(changeWords(pool(due(WINDOW), { kept: true })).after[1]).toBe('Drydock’s own hold goes by itself then.')
})

it('what somebody’s own pause keeps is said to wait only where something else holds it', () => {
  expect(keptWords({ change: { asks: true } as never, unguarded: false })).toContain('waits for approval all the same')
  expect(keptWords({ change: due(WINDOW), unguarded: false })).toMatch(
    /^Its configuration is held all the same, .* resumed here after that, and not before\.$/,
  )
  expect(keptWords({ change: { asks: true } as never, unguarded: true })).toContain(
    'whoever resumes the pool lets it go',
  )
})

it('what a node has is up to date only where that is of the release that is wanted', () => {
  expect(phaseWords({ phase: 'updated', standing: 'now' })).toEqual({ tone: 'good', words: 'up to date' })
  expect(phaseWords({ phase: 'updated', standing: 'before' })).toEqual({
    tone: 'plain',
    words: 'with what came before',
  })
  expect(phaseWords({ phase: 'updated', standing: 'untold' }).tone).toBe('plain')
  expect(phaseWords({ phase: 'draining', standing: 'before' }).words).toBe('draining')
  const counts = { machines: 35, updated: 0, ready: 34, unavailable: 1, degraded: 0 }
  const pool = { counts, wantedRelease: '4.22.6', pending: false, currentConfig: 'a', desiredConfig: 'a' }
  const rest = '1 out of work, 0 degraded'
  expect(countWords({ ...pool, standing: 'before' })).toBe(
    `35: none for 4.22.6 yet, 34 ready with what came before, ${rest}`,
  )
  expect(countWords({ ...pool, standing: 'untold' })).toContain('how many have 4.22.6 cannot be told')
  expect(countWords({ ...pool, standing: 'now', pending: true, desiredConfig: 'b' })).toContain('none counted')
  expect(countWords({ ...pool, standing: 'now', counts: { ...counts, updated: 35 } })).toBe(
    `35: 35 up to date, 34 of these ready, ${rest}`,
  )
})

it('a zone that is a number is called a zone', () => {
  expect([zoneWords('1'), zoneWords('eu-west-1a')]).toEqual(['zone 1', 'eu-west-1a'])
})

it('an OS image is told as that', () => {
  const image = change({ image: true })
  expect(changeWords(pool(image, { held: true })).before).toBe('An OS image waits for a decision')
  expect(imageWanted({ image: null, hold: pool(image).hold as never })).toBe('that of the release again')
  expect(imageWanted({ image: { name: 'os@sha256:1' }, hold: pool(image).hold as never })).toBe('os@sha256:1')
  expect(imageWanted({ image: null, hold: pool(change()).hold as never })).toBeNull()
})
