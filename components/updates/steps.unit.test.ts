import { expect, it } from 'vitest'
import { firstWords, othersWords } from './steps'

it('says what of it goes now, where that is not all of it', () => {
  expect(firstWords('one', 3)).toBe('1 of 3 machines now; then it waits until somebody lets the next one go.')
  expect(firstWords('all', 3)).toBeNull()
})

it('says who wants one machine at a time already', () => {
  expect(othersWords(['Ada'])).toBe('Ada wants one machine, then wait: it goes so.')
  expect(othersWords(['Ada', 'Bo'])).toBe('Ada and Bo want one machine, then wait: it goes so.')
})
