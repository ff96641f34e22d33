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
  ]
  expect(otherwise(machines)).toEqual([
    'b was to be updated in place and was deleted',
    'c was to be replaced and was updated in place',
    'e was to be left as it is and was deleted',
    'h was to be replaced and was left as it is',
    'i was to be updated in place and failed',
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
  const since = (count: number, at = '2026-01-01T00:00:00Z') => ({ count, since: at })
  // What was made before it was approved is another approval's.
  expect(otherCount(both, since(1, '2026-01-01T00:00:02Z'))).toEqual([])
  expect(otherCount(both, since(1))).toEqual([
    'b came besides: more were wanted meanwhile, or another one was made up for',
  ])
  expect(otherCount(both, since(2))).toEqual([])
  expect(otherCount(both, since(3))).toEqual([
    '1 of the 3 machines that were to be created was not',
    'Fewer were wanted meanwhile than when it was approved',
  ])
  const gone = [machine('c', 'in-place', 'deleted')]
  expect(otherCount([...both, ...gone], since(2))).toEqual(['Fewer were wanted meanwhile than when it was approved'])
  // Another one came for it.
  expect(otherCount([...both, ...gone], since(1))).toHaveLength(1)
  // Of the old revision, and updated in place as well.
  const substitute = [...gone, machine('d', null, 'done')]
  expect(otherCount([...both, ...substitute], since(2))).toEqual([])
  const kept = [machine('c', 'replace', 'done')]
  expect(otherCount([...both, ...kept], since(3))).toHaveLength(1)
  expect(otherCount(both, null)).toEqual([])
})
