import { expect, test } from 'vitest'
import { atOnce, isMore, limitOf } from './progress'

test.each<[string, string, number, boolean]>([
  ['3', '2', 9, true],
  ['2', '2', 9, false],
  ['1', '2', 9, false],
  ['100%', '2', 9, true],
  ['25%', '2', 9, false],
  ['25%', '2', 12, true],
  // The same share of a pool that grew.
  ['25%', '25%', 400, false],
  // As the operator reads a share: with a sign, too.
  ['+100%', '1', 9, true],
  ['+100%', '100%', 9, false],
  ['100%', '+25%', 9, true],
  ['+25%', '25%', 9, false],
  ['-5%', '1', 9, false],
  ['1', '-5%', 9, true],
  ['-3', '1', 9, false],
  ['-0%', '1', 9, false],
  // None of a text, a number, or a share that it cannot read.
  ['9223372036854775807%', '1', 9, true],
  ['9223372036854775808%', '1', 9, false],
  ['99999999999', '1', 9, false],
  ['1', '"all"', 9, true],
  ['"all"', '1', 9, false],
  [' 100%', '1', 9, false],
  ['1_0%', '1', 9, false],
  ['%', '1', 9, false],
  ['1.5', '1', 9, false],
  ['1', '0', 9, false],
  // The same, whatever it is.
  ['1.5', '1.5', 9, false],
  // Never more than there are.
  ['10', '100%', 3, false],
  ['10', '2', 3, true],
])('%s after %s, of %d nodes', (now, then, machines, more) => expect(isMore(now, then, machines)).toBe(more))

test('a limit as it is kept', () => {
  expect(limitOf({ name: 'worker', maxUnavailable: null })).toBe('1')
  expect(limitOf({ name: 'worker', maxUnavailable: 3 })).toBe('3')
  expect(limitOf({ name: 'worker', maxUnavailable: '25%' })).toBe('25%')
  // For the operator the text is no number: it takes no node.
  expect(limitOf({ name: 'worker', maxUnavailable: '3' })).toBe('"3"')
  expect(isMore('3', '"3"', 9)).toBe(true)
  expect(limitOf({ name: 'arbiter', maxUnavailable: '100%' })).toBe('1')
})

test.each<[string | number, number | null]>([
  ['+100%', 4],
  ['-0%', 1],
  ['-5%', null],
  [-1, null],
  ['0007%', 1],
  // Never more than there are, and none beyond what the operator reads (int64, int32).
  ['100000000000%', 4],
  ['9223372036854775807%', 4],
  ['99999999999999999999%', null],
  ['-9223372036854775809%', null],
  [2 ** 31 - 1, 2 ** 31 - 1],
  [2 ** 31, null],
])('%s of four nodes', (maxUnavailable, expected) => {
  expect(atOnce({ name: 'worker', maxUnavailable }, 4)).toBe(expected)
})
