import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { RolloutStrategy } from '../rollout'
import { forecastControlPlane, forecastDeployment, type Forecast } from '../rollout/forecast'
import { outlookOf, type Outcome, type OutlookInput, type RevisionPair } from './index'
import { tallyOf } from './tally'

interface Old {
  machines: number
  certain: boolean
}
const made = (second: number) => new Date(second * 1000).toISOString()
const pairsOf = (olds: readonly Old[]): RevisionPair[] =>
  olds.map(({ machines, certain }, i) => ({
    ...{ from: `o${i}`, machines, createdAt: made(i + 1), fingerprint: `f${i}`, changes: [] },
    ...(certain ? { certainReplace: 'It has to be.' } : {}),
  }))

/** Machines that were there are called "<revision>-<number>", new ones "m<number>". */
function played({ moves, floor, lowest }: Forecast) {
  const of = (work: string) => moves.filter((move) => move.work === work)
  const deleted = of('delete').map(({ machine }) => machine)
  const stay = of('update').filter(({ machine }) => !deleted.includes(machine))
  // Of those that go because fewer are wanted, some are updated before.
  const counted = stay.length > 0 ? stay : moves
  const underWay = (at: number) => counted.filter(({ from, to }) => from <= at && at < to).map(({ machine }) => machine)
  const atOnce = Math.max(0, ...counted.map(({ from }) => new Set(underWay(from)).size))
  return { stay: stay.length, created: of('create').length, deleted: deleted.length, floor, lowest, atOnce }
}

function same(outcome: Outcome, input: OutlookInput, forecast: Forecast) {
  const { counts, created, deleted, added = 0, removed = 0, headline } = outcome
  const stay = (counts['in-place'] ?? 0) + (counts['in-place-with-spare'] ?? 0)
  const { floor, lowest, atOnce, ...plays } = played(forecast)
  expect(forecast.stalled).toBeUndefined()
  expect({ stay, created, deleted }).toEqual(plays)
  // Nobody is counted twice, and nobody is left out.
  expect(stay + (counts.replace ?? 0) + (counts['up-to-date'] ?? 0) + removed).toBe(input.machines)
  expect(created - added).toBe(counts.replace ?? 0)
  expect(deleted - removed).toBe(counts.replace ?? 0)
  const [, said] = /never fewer than (\d+) available/.exec(headline) ?? []
  if (said !== undefined) {
    expect(Number(said)).toBe(floor)
    expect(lowest).toBeGreaterThanOrEqual(floor)
  }
  const [, most] = /at most (\d+) at a time/.exec(headline) ?? []
  if (most !== undefined && input.machines >= input.group.replicas) expect(atOnce).toBeLessThanOrEqual(Number(most))
}

/** Both ways of what is foretold in sentences are what is played forward. */
function compare(
  kind: string,
  replicas: number,
  strategy: RolloutStrategy,
  upToDate: number,
  olds: readonly Old[],
  play: (able: boolean) => Forecast,
) {
  const machines = olds.reduce((sum, old) => sum + old.machines, upToDate)
  const pairs = pairsOf(olds)
  const coverage = new Map(pairs.map(({ from }) => [from, { uncovered: [] }]))
  const input = { group: { kind, name: 'w', replicas }, strategy, machines, pairs, coverage }
  const { inPlace, replace } = outlookOf(input)
  same(replace, input, play(false))
  if (inPlace) same(inPlace, input, play(true))
  else expect(played(play(true)).stay).toBe(0)
}

const amount = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 100 }).map((n) => `${n}%`),
)
/** As many wanted as there are, or another number. */
const wanted = fc.oneof(fc.constant(0), fc.integer({ min: -8, max: 6 }))

describe('what is foretold in sentences is what is played forward', () => {
  it('of a MachineDeployment', () => {
    const group = fc.record({
      olds: fc.array(fc.record({ machines: fc.integer({ min: 1, max: 6 }), certain: fc.boolean() }), {
        ...{ minLength: 1, maxLength: 3 },
      }),
      ...{ upToDate: fc.nat(4), more: wanted, maxSurge: amount, maxUnavailable: amount },
      order: fc.constantFrom('Random' as const, 'Oldest' as const, 'Newest' as const),
      durations: fc.record({
        update: fc.integer({ min: 1, max: 99 }),
        create: fc.integer({ min: 1, max: 99 }),
        delete: fc.integer({ min: 1, max: 99 }),
      }),
    })
    fc.assert(
      fc.property(group, ({ olds, upToDate, more, maxSurge, maxUnavailable, order, durations }) => {
        const replicas = Math.max(0, olds.reduce((sum, { machines }) => sum + machines, upToDate) + more)
        const strategy = { type: 'RollingUpdate' as const, maxSurge, maxUnavailable }
        const members = (set: string, many: number) =>
          Array.from({ length: many }, (_, i) => ({
            name: `${set}-${i}`,
            createdAt: i + 1,
            hasNode: true,
            available: true,
          }))
        compare('MachineDeployment', replicas, strategy, upToDate, olds, (able) => {
          const sets = olds.map(({ machines, certain }, i) => ({
            ...{ name: `o${i}`, createdAt: i + 1, wanted: false, canUpdate: able && !certain, certainReplace: certain },
            machines: members(`o${i}`, machines),
          }))
          const current = {
            name: 'new',
            createdAt: 99,
            wanted: true,
            canUpdate: false,
            machines: members('n', upToDate),
          }
          const input = { replicas, strategy, order, now: 1e12, sets: [...sets, current] }
          return forecastDeployment(input, (work) => durations[work])
        })
      }),
      { numRuns: 6_000 },
    )
  }, 120_000)

  it('of a control plane', () => {
    const group = fc.record({
      olds: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
      ...{ upToDate: fc.nat(4), more: wanted, maxSurge: fc.constantFrom(0 as const, 1 as const) },
      placed: fc.array(fc.constantFrom('a', 'b', 'c', 'gone'), { minLength: 10, maxLength: 10 }),
      domains: fc.constantFrom(undefined, [], ['a', 'b', 'c']),
    })
    fc.assert(
      fc.property(group, ({ olds, upToDate, more, maxSurge, placed, domains }) => {
        const replicas = Math.max(1, olds.length + upToDate + more)
        const strategy = { type: 'RollingUpdate' as const, maxSurge }
        // Which of them is the last one is a matter of domains, and of no matter where all are alike.
        const alike = new Set(olds).size === 1
        const where = (i: number) => (alike ? { failureDomain: placed[i]! } : {})
        const pairs = olds.map((certain) => ({ machines: 1, certain }))
        compare('KubeadmControlPlane', replicas, strategy, upToDate, pairs, (able) => {
          const old = olds.map((certain, i) => ({
            ...{ name: `o${i}-0`, createdAt: i + 1, upToDate: false, eligible: able && !certain, healthy: true },
            ...where(i),
          }))
          const current = Array.from({ length: upToDate }, (_, i) => ({
            ...{ name: `n-${i}`, createdAt: 50 + i, upToDate: true, eligible: false, healthy: true },
            ...where(olds.length + i),
          }))
          const canUpdate = new Set(old.filter(({ eligible }) => eligible).map(({ name }) => name))
          const machines = [...old, ...current]
          const more = alike && domains ? { domains } : {}
          return forecastControlPlane({ replicas, maxSurge, machines, canUpdate, now: 1e12, ...more }, () => 1000)
        })
      }),
      { numRuns: 4_000 },
    )
  }, 120_000)
})

test.each<[string, number, number | undefined, object]>([
  ['MachineDeployment', 1, 0, { stay: 3, replaced: 0, spare: 0, added: 0, removed: 2 }],
  ['MachineDeployment', 0, 1, { stay: 3, replaced: 0, spare: 0, added: 0, removed: 2 }],
  ['KubeadmControlPlane', 1, undefined, { stay: 3, replaced: 0, spare: 0, added: 0, removed: 2 }],
])(
  '%s of 5 brought to 3, maxSurge %s: none is replaced besides those that go',
  (kind, maxSurge, maxUnavailable, expected) => {
    const strategy: RolloutStrategy = {
      type: 'RollingUpdate',
      maxSurge,
      ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    }
    const group = { kind, replicas: 3 }
    expect(tallyOf({ group, strategy, upToDate: 0, olds: [{ machines: 5, able: true }] })).toEqual(expected)
  },
)
