import { expect, it } from 'vitest'
import { firstWords, goesWords } from './steps'

it('says what of it goes now, where that is not all of it', () => {
  expect(firstWords('one', 3)).toBe('1 of 3 machines now; then it waits until somebody lets the next one go.')
  expect(firstWords('all', 3)).toBeNull()
})

it.each([
  [2, false, false, '1 machine is updated in place; then it waits for somebody again.'],
  [1, false, true, '1 machine is replaced, the last one.'],
  [2, true, true, '2 machines are replaced, one after the other; it waits for nobody any more.'],
  [1, true, false, '1 machine is updated in place, the last one.'],
])('says before it what goes on by it: %i left, all: %s, replaced: %s', (left, all, replaces, words) => {
  expect(goesWords({ left, all, replaces })).toBe(words)
})
