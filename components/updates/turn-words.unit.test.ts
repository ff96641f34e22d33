import { expect, test } from 'vitest'
import type { PoolTurns } from '@/lib/domain/pools/turns'
import { doesWords, ruleWords, tiesWords, turnsOf } from './turn-words'

const pool: PoolTurns = {
  ...{ effect: { does: 'reboot', sure: true }, atOnce: 2, zones: { a: 'eu-1a' }, ties: [], stays: [] },
  elsewhere: ['c'],
}
const move = (machine: string, minutes: number) => ({
  ...{ machine, work: 'update' as const, from: minutes * 60_000 },
  to: (minutes + 8) * 60_000,
})

test('each node in its order, what is done to it, and about when', () => {
  const moves = [move('a', 0), move('b', 8.1), move('c', 0), move('c', 16)]
  expect(turnsOf({ moves, pool })).toEqual([
    { name: 'a', zone: 'eu-1a', does: 'drained and rebooted', when: 'at once' },
    { name: 'b', zone: null, does: 'drained and rebooted', when: 'after 8 min' },
    {
      ...{ name: 'c', zone: null, does: 'not known: it comes from another configuration than was compared' },
      when: 'after 16 min',
    },
  ])
  expect(turnsOf({ moves })).toEqual([])
  // While it runs.
  const names = new Set(['a', 'b', 'c'])
  expect(turnsOf({ moves, pool }, names).map(({ when }) => when)).toEqual(['has begun', 'after 8 min', 'after 16 min'])
})

test('what is not certain says so', () => {
  expect(doesWords(null)).toBe('not known')
  expect(doesWords({ does: 'none', sure: true })).toBe('files written, no drain and no reboot')
  expect(doesWords({ does: 'reboot', sure: false })).toBe(
    'drained and rebooted, unless a node disruption policy says otherwise',
  )
  expect(ruleWords({ atOnce: 1 })).toContain('At most 1 node at once: zone after zone')
  expect(ruleWords({ atOnce: null })).toContain('is not known')
  expect(tiesWords([])).toBeNull()
  expect(tiesWords([['a', 'b']])).toContain('Which of a and b comes first is not known')
  expect(
    tiesWords([
      ['a', 'b', 'c', 'd'],
      ['x', 'y'],
    ]),
  ).toContain('4 nodes (a, b, c …)')
  expect(
    tiesWords([
      ['a', 'b'],
      ['x', 'y'],
    ]),
  ).toContain('and so with 1 more group')
})
