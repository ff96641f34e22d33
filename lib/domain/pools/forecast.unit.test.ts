import { describe, expect, test } from 'vitest'
import type { NodeEffect } from './effect'
import { poolForecast, type PoolInput } from './forecast'
import { standsAt, tiesIn, type PoolNode } from './turns'

const HOUR = 3_600_000
const node = (name: string, more: Partial<PoolNode> = {}): PoolNode => ({
  ...{ name, zone: 'a', joinedAt: 0, at: 'open' },
  ...more,
})
const REBOOT: NodeEffect = { does: 'reboot', sure: true }
const QUIET: NodeEffect = { does: 'none', sure: true }
const play = (nodes: PoolNode[], more: Partial<PoolInput> = {}) =>
  poolForecast({ nodes, atOnce: 1, effect: REBOOT, building: false, ...more })(() => 10)
const turns = (...of: Parameters<typeof play>) => play(...of).moves.map(({ machine, from }) => `${machine} ${from}`)

describe('in which order nodes are taken', () => {
  const four = [
    node('no-zone', { zone: null }),
    node('b1', { zone: 'b' }),
    node('a-young', { joinedAt: HOUR }),
    node('a-old'),
  ]
  test.each<[string, PoolNode[], number, string[]]>([
    [
      'zone after zone, the oldest first, those without one last',
      four,
      1,
      ['a-old 0', 'a-young 10', 'b1 20', 'no-zone 30'],
    ],
    ['as many at once as there may be', four, 3, ['a-old 0', 'a-young 0', 'b1 0', 'no-zone 10']],
    [
      'those without a zone by age',
      [node('y', { zone: null, joinedAt: 2 }), node('x', { zone: null, joinedAt: 1 })],
      1,
      ['x 0', 'y 10'],
    ],
    ['what is up to date is not taken', [node('x', { at: 'done' }), node('y')], 1, ['y 0']],
    ['what is on its way comes to its end first', [node('x'), node('y', { at: 'here' })], 1, ['y 0', 'x 10']],
    [
      'on its way to something before, it has two turns',
      [node('x', { at: 'elsewhere' }), node('y', { joinedAt: 1 })],
      1,
      ['x 0', 'x 10', 'y 20'],
    ],
    [
      'one that is cordoned counts, and is not taken',
      [node('x', { at: 'away' }), node('y'), node('z', { joinedAt: 1 })],
      2,
      ['y 0', 'z 10'],
    ],
    [
      'one that failed counts',
      [node('x', { at: 'failed' }), node('y'), node('z', { joinedAt: 1 })],
      2,
      ['y 0', 'z 10'],
    ],
    [
      'one that failed and is cordoned counts twice',
      [node('x', { at: 'failed-away' }), node('y'), node('z', { joinedAt: 1 })],
      2,
      [],
    ],
    ['one that has it and is cordoned counts as well', [node('x', { at: 'idle' }), node('y')], 1, []],
    ['one that is degraded at what it has counts', [node('x', { at: 'broken' }), node('y')], 1, []],
    ['at the limit nobody is', [node('x', { at: 'away' }), node('y')], 1, []],
  ])('%s', (_, nodes, atOnce, expected) => {
    expect(turns(nodes, { atOnce })).toEqual(expected)
  })
})

describe('what it comes to', () => {
  const two = [node('x'), node('y', { joinedAt: 1 })]
  test('one after another, each is out of work while it reboots', () => {
    expect(play(two)).toMatchObject({ ends: 20, start: 2, most: 2, floor: 1, lowest: 1 })
    expect(play(two).frames.at(-1)).toEqual({ at: 20, available: 2, machines: 2, done: 2 })
  })
  test('without a drain all go on with their work', () => {
    expect(play(two, { effect: QUIET })).toMatchObject({ ends: 20, lowest: 2 })
  })
  test('one that failed and is cordoned is not at work', () => {
    const stalled = play([node('x', { at: 'failed-away' }), node('y')], { atOnce: 2 })
    expect(stalled.frames.map(({ available }) => available)).toEqual([1])
  })
  test('of what is not known, a reboot is counted with', () => {
    expect(play(two, { effect: null })).toMatchObject({ lowest: 1 })
  })
  test('the operator takes its time between two', () => {
    expect(
      poolForecast({ nodes: two, atOnce: 1, effect: REBOOT, building: false })(
        () => 10,
        () => 5,
      ),
    ).toMatchObject({ ends: 30 })
  })

  test.each<[string, PoolNode[], Partial<PoolInput>, string]>([
    [
      'cordoned, at the limit',
      [node('x', { at: 'away' }), node('y')],
      {},
      'x is cordoned, not Ready or under pressure, and is not chosen: that counts against maxUnavailable, and 1 node is not taken before that changes.',
    ],
    [
      'cordoned, below it',
      [node('x', { at: 'away' }), node('y')],
      { atOnce: 2 },
      'It does not end before that changes: x is cordoned, not Ready or under pressure, and is not chosen.',
    ],
    [
      'degraded at what it has, below the limit',
      [node('x', { at: 'broken' }), node('y')],
      { atOnce: 2 },
      'It does not end before that changes: x is degraded where it is, and takes nothing up before that is mended.',
    ],
    [
      'up to date and cordoned, at the limit',
      [node('x', { at: 'idle' }), node('y')],
      {},
      'x is cordoned, not Ready or under pressure: that counts against maxUnavailable, and 1 node is not taken before that changes.',
    ],
    [
      'failed',
      [node('x', { at: 'failed' }), node('y', { at: 'failed' })],
      { atOnce: 3 },
      'It does not end before that changes: x could not take it up, and so with 1 more.',
    ],
    [
      'failed and cordoned, which counts twice',
      [node('x', { at: 'failed-away' }), node('y')],
      { atOnce: 2 },
      'x could not take it up, and is cordoned, not Ready or under pressure: that counts against maxUnavailable, and 1 node is not taken before that changes.',
    ],
    [
      'an image that is not built yet',
      two,
      { building: true },
      'The OS image of this pool is not built yet: no node is told of anything before it is there.',
    ],
    [
      'maxUnavailable cannot be read',
      two,
      { atOnce: null },
      'By its maxUnavailable (no number or share, or below zero) the operator takes no node of this pool.',
    ],
  ])('it does not end: %s', (_, nodes, more, words) => {
    expect(play(nodes, more)).toMatchObject({ ends: null, stalled: words })
  })
})

describe('whose order is not known', () => {
  test.each<[string, PoolNode[], number, string[][]]>([
    ['made in the same second, in the same zone', [node('x'), node('y'), node('z', { zone: 'b' })], 1, [['x', 'y']]],
    [
      'an age that is not known',
      [node('x'), node('y', { joinedAt: 1 }), node('z', { joinedAt: null })],
      1,
      [['x', 'y', 'z']],
    ],
    ['all of other ages', [node('x'), node('y', { joinedAt: 1 })], 1, []],
    ['all at once: no order decides anything', [node('x'), node('y')], 2, []],
  ])('%s', (_, nodes, atOnce, ties) => {
    expect(tiesIn(nodes, atOnce).map((names) => names.sort())).toEqual(ties)
  })
})

describe('where a node stands', () => {
  const found = {
    phase: 'pending',
    unavailable: false,
    currentConfig: 'a',
    desiredConfig: 'a',
    desiredImage: null,
  } as const
  type Found = Parameters<typeof standsAt>[0]
  test.each<[string, Partial<Found>, string | null | undefined, PoolNode['at']]>([
    ['it waits', {}, null, 'open'],
    ['its pool is paused', { phase: 'paused' }, null, 'open'],
    ['it is cordoned, not Ready or under pressure', { unavailable: true }, null, 'away'],
    ['it has it', { phase: 'updated', currentConfig: 'b', desiredConfig: 'b' }, null, 'done'],
    [
      'it has another image than the one that is built since',
      { phase: 'updated', currentConfig: 'b', desiredConfig: 'b', desiredImage: 'old' },
      'new',
      'open',
    ],
    ['it has what was wanted before', { phase: 'updated' }, null, 'open'],
    [
      'it has it, and is cordoned',
      { phase: 'updated', currentConfig: 'b', desiredConfig: 'b', unavailable: true },
      null,
      'idle',
    ],
    ['it is on its way', { phase: 'draining', desiredConfig: 'b', unavailable: true }, null, 'here'],
    ['on its way to something else', { phase: 'rebooting', desiredConfig: 'c', unavailable: true }, null, 'elsewhere'],
    [
      'to the config with another image',
      { phase: 'updating', desiredConfig: 'b', desiredImage: 'old' },
      'new',
      'elsewhere',
    ],
    [
      'which image is built is not known',
      { phase: 'updating', desiredConfig: 'b', desiredImage: 'old' },
      undefined,
      'here',
    ],
    ['it failed at this one', { phase: 'degraded', desiredConfig: 'b' }, null, 'failed'],
    [
      'it failed at this one, and is cordoned as after a drain that was given up',
      { phase: 'degraded', desiredConfig: 'b', unavailable: true },
      null,
      'failed-away',
    ],
    ['it is degraded at what it has, and counts', { phase: 'degraded', unavailable: true }, null, 'broken'],
    [
      'it has it, and its daemon is done, though its MachineConfigNode says that it is degraded',
      { phase: 'degraded', currentConfig: 'b', desiredConfig: 'b' },
      null,
      'done',
    ],
    ['it failed at one before, and may be told another', { phase: 'degraded', desiredConfig: 'c' }, null, 'open'],
  ])('%s', (_, more, image, at) => {
    expect(standsAt({ ...found, ...more }, 'b', image)).toBe(at)
  })
})
