import { expect, test } from 'vitest'
import { isMore, limitOf } from './progress'

test.each<[string, string, number, boolean]>([
  ['3', '2', 9, true],
  ['2', '2', 9, false],
  ['1', '2', 9, false],
  ['100%', '2', 9, true],
  ['25%', '2', 9, false],
  ['25%', '2', 12, true],
  // The same share of a pool that grew.
  ['25%', '25%', 400, false],
  // None of a limit that cannot be read, and always one.
  ['1', 'all', 9, true],
  ['all', '1', 9, false],
  ['1', '0', 9, false],
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
