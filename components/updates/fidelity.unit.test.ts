import { expect, it } from 'vitest'
import type { ChangeMachine } from '@/lib/services/changes/get-change'
import { otherCount, otherwise, rightWords } from './fidelity'

const machine = (
  name: string,
  predicted: string | null,
  state: string,
  startedAt: string | null = 'then',
): ChangeMachine => ({
  ...{ id: name, name, node: null, version: null, state: null, sentence: null, verdict: null, verdictReason: null },
  progress: { state, predicted, message: null, startedAt, finishedAt: null },
})

it('names only the machines that fared otherwise', () => {
  const failed = machine('j', 'in-place', 'done')
  failed.progress!.failedFor = 'not Ready in time'
  const never = machine('k', null, 'created')
  never.progress!.failedFor = 'not Ready in time'
  const machines = [
    machine('a', 'in-place', 'done'),
    machine('b', 'in-place', 'deleted'),
    machine('c', 'replace', 'done'),
    machine('d', 'up-to-date', 'done', null),
    machine('e', 'up-to-date', 'deleted'),
    machine('f', null, 'created'),
    machine('g', 'in-place-with-spare', 'deleted'),
    machine('h', 'replace', 'waiting', null),
    machine('i', 'in-place', 'failed'),
    failed,
    never,
  ]
  expect(otherwise(machines)).toEqual([
    'b was to be updated in place and was deleted',
    'c was to be replaced and was updated in place',
    'e was to be left as it is and was deleted',
    'h was to be replaced and was left as it is',
    'i was to be updated in place and failed',
    'j was updated in place as foretold, and failed: not Ready in time',
    'k was created, and failed: not Ready in time',
  ])
})

it('never rounds up to all', () => {
  expect(rightWords({ foretold: 9999, asForetold: 9998 })).toBe('9998 of 9999 machines (99.9 %)')
  expect(rightWords({ foretold: 1, asForetold: 1 })).toBe('1 of 1 machine (100 %)')
})

it('of more new machines than were foretold the last ones are named; of fewer, how many', () => {
  const created = (name: string, startedAt: string) =>
    ({ name, progress: { state: 'created', predicted: null, startedAt } }) as ChangeMachine
  const both = [created('b', '2026-01-01T00:00:02Z'), created('a', '2026-01-01T00:00:01Z')]
  const since = (count: number, at = '2026-01-01T00:00:00Z', wanted: number | null = null) => ({
    ...{ count, wanted, since: at, first: at },
  })
  // What was made before it was approved is another approval's.
  expect(otherCount(both, since(1, '2026-01-01T00:00:02Z'))).toEqual([])
  expect(otherCount(both, since(1))).toEqual([
    'b came besides: more were wanted meanwhile, or another one was made up for',
  ])
  expect(otherCount(both, since(2))).toEqual([])
  expect(otherCount(both, since(3))).toEqual(['1 of the 3 machines that were to be created was not'])
  expect(otherCount(both, null)).toEqual([])
})

const PLAN = { count: 0, since: '2026-01-01T01:00:00Z', first: '2026-01-01T00:00:00Z', wanted: 2 }
const LATER = '2026-01-01T02:00:00Z'

it('says that fewer were wanted only where fewer are there than were wanted when it was approved', () => {
  const there = [machine('a', 'in-place', 'done', LATER), machine('b', 'up-to-date', 'done', null)]
  const gone = machine('c', 'in-place', 'deleted', LATER)
  const few = 'Fewer were wanted meanwhile than when it was approved'
  expect(otherCount([...there, gone], PLAN)).toEqual([])
  expect(otherCount([...there, gone], { ...PLAN, wanted: 3 })).toEqual([few])
  // What was wanted then is not on record.
  expect(otherCount([...there, gone], { ...PLAN, wanted: null })).toEqual([])
})

it('says of what was remediated that it was, and that another one was made for it', () => {
  const remediated = machine('c', 'in-place', 'deleted', LATER)
  remediated.progress!.ill = true
  const substitute = machine('d', null, 'created', LATER)
  const machines = [machine('a', 'in-place', 'done', LATER), remediated, substitute]
  expect(otherwise(machines, PLAN)).toEqual([
    'c was to be updated in place, and was deleted by remediation and made anew',
  ])
  expect(otherCount(machines, PLAN)).toEqual([])
  // Before a pause in the middle: what was approved afterwards knows nothing of it.
  const before = machine('d', null, 'created', '2026-01-01T00:30:00Z')
  expect(otherCount([machines[0]!, remediated, before], PLAN)).toEqual([])
  const fewer = otherwise([machines[0]!, remediated], PLAN)
  expect(fewer).toEqual(['c was to be updated in place, and was deleted by remediation'])
  expect(otherCount([...machines, machine('e', null, 'created', '2026-01-01T03:00:00Z')], PLAN)).toEqual([
    'e came besides: more were wanted meanwhile, or another one was made up for',
  ])
})

it('says nothing of what moved before anybody approved it', () => {
  const early = machine('a', 'in-place', 'deleted', '2025-12-31T23:00:00Z')
  expect(otherwise([early], PLAN)).toEqual([])
  expect(otherwise([machine('a', 'in-place', 'deleted', LATER)], PLAN)).toHaveLength(1)
})
