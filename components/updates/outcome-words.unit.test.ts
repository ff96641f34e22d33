import { expect, it } from 'vitest'
import { happenedWords, nothingMoved } from './outcome-words'

const NONE = { updatedInPlace: 0, created: 0, deleted: 0, failed: 0 }

it.each([
  [{}, ''],
  [{ begun: 2, unapproved: 2 }, '2 being updated, 2 nodes began unapproved'],
  [{ updatedInPlace: 1, begun: 1, unapproved: 1 }, '1 updated in place, 1 being updated, a node began unapproved'],
  [{ updatedInPlace: 4 }, '4 updated in place'],
])('of what a newer change took the place of it says what had begun: %j', (outcome, words) => {
  const change = { state: 'superseded' as const, outcome: { ...NONE, ...outcome } }
  expect(happenedWords(change)).toBe(words)
  expect(nothingMoved(change)).toBe(words === '')
})
