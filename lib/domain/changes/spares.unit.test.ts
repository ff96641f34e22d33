import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { forecastDeployment, type ForecastMachine } from '../rollout/forecast'
import { deletionsComing, outlookOf, verdictOf, type OutlookInput, type RevisionPair } from './index'

interface Old {
  machines: number
  /** Of them, those that are not available yet. */
  away: number
  certain: boolean
}
const made = (second: number) => new Date(second * 1000).toISOString()

function inputOf(olds: readonly Old[], more: Pick<OutlookInput, 'group' | 'strategy'> & { upToDate: number }) {
  const pairs = olds.map(({ machines, certain }, i): RevisionPair => ({
    ...{ from: `o${i}`, machines, createdAt: made(i + 1), fingerprint: `f${i}`, changes: [] },
    ...(certain ? { certainReplace: 'It has to be.' } : {}),
  }))
  const { upToDate, ...group } = more
  const away = new Map(olds.map((old, i) => [`o${i}`, old.away]))
  return {
    ...{ ...group, pairs, machines: olds.reduce((sum, { machines }) => sum + machines, upToDate) },
    coverage: new Map(pairs.map(({ from }) => [from, { uncovered: [] }])),
    unavailable: olds.reduce((sum, old) => sum + old.away, 0),
    away: { current: 0, olds: away },
  }
}

const wants = (replicas: number, maxSurge: number, maxUnavailable: number) => ({
  group: { kind: 'MachineDeployment', name: 'w', replicas },
  strategy: { type: 'RollingUpdate' as const, maxSurge, maxUnavailable },
})

test.each([
  // Of 9 machines 2 may be missing, and 2 are not available: none can move before a spare is there.
  ['as many are away as may be missing', 9, 2, 1, 2, { stay: 8, spare: 1 }],
  ['fewer are away than may be missing', 9, 1, 1, 2, { stay: 9, spare: undefined }],
  ['more are away, and more spares may come', 9, 3, 2, 2, { stay: 7, spare: 2 }],
  ['none is away', 9, 0, 1, 2, { stay: 9, spare: undefined }],
  ['the strategy takes a spare in any case', 9, 0, 1, 0, { stay: 8, spare: 1 }],
  ['no more than wanted may be there', 9, 2, 0, 2, { stay: 9, spare: undefined }],
] as const)('%s', (_, replicas, away, maxSurge, maxUnavailable, { stay, spare }) => {
  const input = inputOf([{ machines: replicas, away, certain: false }], {
    ...{ ...wants(replicas, maxSurge, maxUnavailable), upToDate: 0 },
  })
  const { inPlace } = outlookOf(input)
  expect(inPlace?.spare).toBe(spare)
  expect(inPlace).toMatchObject({ deleted: spare ?? 0, created: spare ?? 0 })
  expect((inPlace!.counts['in-place'] ?? 0) + (inPlace!.counts['in-place-with-spare'] ?? 0)).toBe(stay)
  expect(verdictOf(input.pairs[0]!, input).verdict).toBe(spare ? 'in-place-with-spare' : 'in-place')
  if (spare)
    expect(inPlace!.headline).toMatch(
      /; (one spare is|2 spares are) created first and (one|2) old machines? (is|are) deleted/,
    )
})

test.each([
  // Where none would be left that is updated in place, the outlook names no way and no spare.
  ['a single machine that may not be missing goes for its spare', 1, 0, 1, 0, 1, null],
  ['of those that stay, as many as are named', 9, 3, 2, 2, 2, 2],
  ['none where none is away', 9, 0, 1, 2, 0, undefined],
] as const)('how many go for spares: %s', (_, replicas, away, maxSurge, maxUnavailable, coming, said) => {
  const input = inputOf([{ machines: replicas, away, certain: false }], {
    ...{ ...wants(replicas, maxSurge, maxUnavailable), upToDate: 0 },
  })
  const { inPlace } = outlookOf(input)
  expect(deletionsComing(input, true)).toBe(coming)
  expect(inPlace && inPlace.spare).toBe(said)
})

test('nothing more goes for spares where no machine is old, or only what went for them is left', () => {
  const old = { machines: 1, away: 1, certain: false }
  const midway = inputOf([old], { ...wants(2, 1, 1), upToDate: 2 })
  expect(deletionsComing({ ...midway, spares: 1 }, true)).toBe(1)
  const none = inputOf([{ ...old, machines: 0, away: 0 }], { ...wants(2, 1, 0), upToDate: 2 })
  expect(deletionsComing(none, true)).toBe(0)
})

test('held in the middle with its spare, the one that comes besides is named', () => {
  const old = { machines: 4, away: 1, certain: false }
  const input = { ...inputOf([old], { ...wants(4, 2, 0), upToDate: 1 }), made: 1 }
  expect(outlookOf(input).inPlace).toMatchObject({ spare: 1, created: 1, deleted: 2 })
})

it.each(['on their way', 'not well'])(
  'names spares where they come when it is played forward, with machines %s',
  (how) => {
    const group = fc.record({
      olds: fc.array(fc.record({ machines: fc.integer({ min: 1, max: 6 }), away: fc.nat(3) }), {
        ...{ minLength: 1, maxLength: 3 },
      }),
      ...{ upToDate: fc.nat(3), maxSurge: fc.nat(3), maxUnavailable: fc.nat(4) },
    })
    fc.assert(
      fc.property(group, ({ olds: drawn, upToDate, maxSurge, maxUnavailable }) => {
        const olds = drawn.map((old) => ({ ...old, certain: false, away: Math.min(old.away, old.machines) }))
        const replicas = olds.reduce((sum, { machines }) => sum + machines, upToDate)
        const input = inputOf(olds, { ...wants(replicas, maxSurge, maxUnavailable), upToDate })
        const { inPlace } = outlookOf(input)
        if (!inPlace) return
        const members = (set: string, many: number, away = 0): ForecastMachine[] =>
          Array.from({ length: many }, (_, i) => ({
            ...{ name: `${set}-${i}`, createdAt: i + 1, hasNode: true, available: i >= away },
            unhealthy: how === 'not well' && i < away,
          }))
        const sets = olds.map(({ machines, away, certain }, i) => ({
          ...{ name: `o${i}`, createdAt: i + 1, wanted: false, canUpdate: !certain, certainReplace: certain },
          machines: members(`o${i}`, machines, away),
        }))
        const current = { name: 'new', createdAt: 99, wanted: true, canUpdate: false, machines: members('n', upToDate) }
        const { strategy } = input
        const { moves } = forecastDeployment(
          { replicas, strategy, order: 'Oldest', now: 1e12, sets: [...sets, current] },
          (work) => ({ update: 7, create: 31, delete: 3 })[work],
        )
        const created = moves.filter(({ work, machine }) => work === 'create' && machine.startsWith('m')).length
        // Fewer, where one that is not available comes back before the next spare would come.
        expect(created).toBeLessThanOrEqual(inPlace.created)
        expect(created > 0).toBe(inPlace.created > 0)
      }),
      { numRuns: 3_000 },
    )
  },
  60_000,
)

it('counts as many that are deleted as the outlook names, in both ways', () => {
  const group = fc.record({
    olds: fc.array(fc.record({ machines: fc.nat(5), away: fc.nat(3), certain: fc.boolean() }), {
      ...{ minLength: 1, maxLength: 3 },
    }),
    ...{ upToDate: fc.nat(4), replicas: fc.nat(12), maxSurge: fc.nat(3), maxUnavailable: fc.nat(3) },
    ...{ plane: fc.boolean(), marked: fc.nat(2), spares: fc.nat(2) },
  })
  fc.assert(
    fc.property(group, ({ olds: drawn, upToDate, replicas, maxSurge, maxUnavailable, plane, marked, spares }) => {
      const olds = drawn.map((old) => ({ ...old, away: Math.min(old.away, old.machines) }))
      const { group: of, strategy } = wants(replicas, maxSurge, maxUnavailable)
      const kind = plane ? 'KubeadmControlPlane' : of.kind
      const input: OutlookInput = {
        ...inputOf(olds, { group: { ...of, kind }, strategy, upToDate }),
        ...(plane ? { marked: Array.from({ length: Math.min(marked, upToDate) }, (_, i) => `m${i}`) } : { spares }),
      }
      const { inPlace, replace } = outlookOf(input)
      expect(deletionsComing(input, false)).toBe(replace.deleted)
      if (inPlace) expect(deletionsComing(input, true)).toBe(inPlace.deleted)
    }),
  )
})
