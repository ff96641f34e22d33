import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { durationOf } from '../policies'
import { LEVELS, levelOf, suspendedWords, type Held } from '.'
import { agedWords, ageWords, orLonger } from './age'

const [KCP, MD] = ['KubeadmControlPlane', 'MachineDeployment']
const RULES = { remindAfter: '24h', escalateAfter: '3d', holdLimit: '7d' }
const HOUR = 3_600_000

describe('how pressing a hold is', () => {
  it.each([
    [23, MD, 'fresh'],
    [24, MD, 'due'],
    [71, KCP, 'due'],
    [72, MD, 'overdue'],
    [167, KCP, 'overdue'],
    [168, KCP, 'dangerous'],
    [1_000, MD, 'overdue'],
  ] as const)('%i hours, %s: %s', (hours, kind, level) => expect(levelOf(hours * HOUR, kind, RULES)).toBe(level))

  it('is what the shortest limit says, in whatever order they are', () => {
    expect(levelOf(2 * HOUR, KCP, { ...RULES, holdLimit: '1h' })).toBe('dangerous')
    expect(levelOf(2 * HOUR, MD, { ...RULES, remindAfter: 'never', escalateAfter: '1h' })).toBe('overdue')
    expect(levelOf(1e12, KCP, { remindAfter: 'never', escalateAfter: 'never', holdLimit: 'never' })).toBe('fresh')
  })

  const time = fc.oneof(
    fc.constant('never'),
    fc.tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('m', 'h', 'd')).map(([n, unit]) => `${n}${unit}`),
  )
  test('never becomes less pressing with age, nor by stricter rules', () => {
    fc.assert(
      fc.property(
        fc.record({ remindAfter: time, escalateAfter: time, holdLimit: time }),
        fc.constantFrom(KCP, MD),
        fc.tuple(fc.nat(1e12), fc.nat(1e12)),
        fc.constantFrom('remindAfter' as const, 'escalateAfter' as const, 'holdLimit' as const),
        time,
        (rules, kind, ages, rule, other) => {
          const rank = (age: number, by = rules) => LEVELS.indexOf(levelOf(age, kind, by))
          const [young, old] = ages.toSorted((a, b) => a - b) as [number, number]
          expect(rank(old)).toBeGreaterThanOrEqual(rank(young))
          const shorter = (durationOf(other) ?? Infinity) <= (durationOf(rules[rule]) ?? Infinity)
          if (shorter) expect(rank(old, { ...rules, [rule]: other })).toBeGreaterThanOrEqual(rank(old))
        },
      ),
    )
  })
})

describe('what does not happen meanwhile', () => {
  const UP = { from: 'v1.33.6', to: 'v1.34.2' }
  const held = (over: Partial<Held> = {}) =>
    suspendedWords({ kind: MD, wanted: 3, has: 3, ill: [], versions: UP, ...over }).join(' ')

  it('of workers: scaling, what reaches machines without a rollout, and which ill machines stay', () => {
    expect(held()).toBe('Labels, annotations and time-outs do not reach its machines, and it does not scale.')
    expect(held({ wanted: 5 })).toMatch(
      /^It wants 5 machines and has 3: it does not scale\. Labels, .* its machines\.$/,
    )
    expect(held({ wanted: 1 })).toMatch(/^It wants 1 machine and has 3: none goes for that, and it does not scale\./)
    expect(held({ ill: ['m-1'] })).toMatch(/^m-1 is ill, and not replaced where it is of an older revision or/)
  })
  it('where it scales all the same, that is not said', () => {
    const words = 'Labels, annotations and time-outs do not reach its machines.'
    expect([held({ scales: true }), held({ scales: true, wanted: 5 })]).toEqual([words, words])
  })
  it('of control planes: ill machines by their names, and workers while a higher version waits', () => {
    const plane = (over: Partial<Held> = {}) => held({ kind: KCP, ...over })
    expect(plane({ ill: ['a'] })).toMatch(
      /^a is ill, and not replaced\. Worker groups .* Ill machines are not replaced,/,
    )
    expect(plane({ ill: ['a', 'b', 'c', 'd'] })).toContain('a, b, c and 1 more are ill')
    expect(plane({ versions: { from: UP.to, to: UP.from } })).not.toContain('Worker groups')
    expect(plane({ workersTold: true })).not.toContain('Worker groups')
    expect(plane({ workers: { groups: 2, missing: 5 } })).toContain(
      'preflight checks are switched off: 2 groups of them want 5 more. Ill',
    )
    expect(plane({ workers: { groups: 0, missing: 0 } })).toContain('are switched off. Ill')
    expect(plane({ versions: { from: null, to: null } })).not.toContain('Worker groups')
  })
})

it.each([
  [0, '0 minutes'],
  [60_000, '1 minute'],
  [2 * HOUR - 1, '119 minutes'],
  [47.9 * HOUR, '47 hours'],
  [9.9 * 24 * HOUR, '9 days'],
])('%i ms are %s', (ms, words) => expect(ageWords(ms)).toBe(words))

it('of a pool it is the pause that is old: what waits for its nodes may be younger', () => {
  expect([agedWords(MD!), agedWords(KCP!, true), agedWords('MachineConfigPool')]).toEqual([
    'It has stood still',
    'It has waited',
    'Its pool has been paused',
  ])
})

it.each([
  ['MachineConfigPool', 'person', false, ' or longer'],
  ['MachineConfigPool', 'latch', true, ' or longer'],
  ['MachineConfigPool', 'latch', false, ''],
  [KCP!, 'person', true, ''],
])(
  'of a pause of a %s by %s, first seen so: %s, the age is the least that is known',
  (groupKind, heldBy, firstSeen, or) => expect(orLonger({ groupKind, heldBy, firstSeen })).toBe(or),
)
