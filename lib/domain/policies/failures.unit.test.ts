import { expect, test } from 'vitest'
import { limitFrom, limitOf, limitWords } from './index'

test.each([
  [2, 10, 2],
  [2, 1, 2],
  ['10%', 100, 10],
  ['10%', 101, 11],
  ['10%', 4, 1],
  ['1%', 0, 1],
  ['100%', 3, 3],
  ['never', 100, null],
] as const)('%s of %i machines: %s', (limit, machines, wanted) => expect(limitOf(limit, machines)).toBe(wanted))

test.each<[unknown, unknown]>([
  [2, 2],
  ['2', 2],
  [' 12 ', 12],
  ['10%', '10%'],
  [' 100% ', '100%'],
  ['never', 'never'],
  ...[0, -1, 1.5, 10_001, '0', '0%', '101%', '5 %', '', 'always', null, true, ['2']].map((bad): [unknown, unknown] => [
    bad,
    null,
  ]),
])('%j is written as %j', (given, wanted) => expect(limitFrom(given)).toBe(wanted))

test('in words', () => {
  expect(limitWords(1)).toBe('1 machine')
  expect(limitWords(2)).toBe('2 machines')
  expect(limitWords('5%')).toBe('5% of the machines')
})
