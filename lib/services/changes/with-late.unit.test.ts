import { expect, it } from 'vitest'
import { withLate } from './with-late'

const outcome = { updatedInPlace: 2, created: 1, deleted: 1, failed: 1 }
const at = new Date()

it('what was not Ready in time is among those that failed, and in no other number', () => {
  expect(withLate(outcome, [])).toBe(outcome)
  expect(withLate(outcome, [{ state: 'done', finishedAt: at }])).toEqual({ ...outcome, updatedInPlace: 1, failed: 2 })
  expect(withLate(outcome, [{ state: 'created', finishedAt: at }])).toEqual({ ...outcome, created: 0, failed: 2 })
  expect(withLate(outcome, [{ state: 'created', finishedAt: null }])).toEqual({ ...outcome, failed: 2 })
})
