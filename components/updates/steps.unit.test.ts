import { expect, it } from 'vitest'
import { firstWords } from './steps'

it('says what of it goes now, where that is not all of it', () => {
  expect(firstWords('one', 3)).toBe('1 of 3 machines now; then it waits until somebody lets the next one go.')
  expect(firstWords('all', 3)).toBeNull()
})
