import { expect, test } from 'vitest'
import { reviewHint } from './sheet'

test('an empty review date is said to be as said of each only where something is said of one', () => {
  expect(reviewHint([{ review: null }, { review: null }])).toBe('When somebody should look at these again.')
  expect(
    reviewHint([{ review: null }, { review: 'Its review date, 2027-01-01, is kept unless another is given.' }]),
  ).toBe(
    'When somebody should look at these again. Empty: as said above of those that have a date, and none for the others.',
  )
})
