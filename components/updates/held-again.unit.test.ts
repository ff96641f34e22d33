import { expect, it } from 'vitest'
import { change } from './testing'
import { headlineOf, stateOf } from './words'

it.each(['approved', 'running', 'stuck'] as const)(
  'of what was let go (%s), and taken back, says at once that it is held again',
  (state) => {
    const taken = change({ state, pausedUntilHeld: true })
    expect(stateOf(taken)).toEqual({ words: 'Being held again', tone: 'needs' })
    expect(headlineOf(taken)).toMatch(/ is being held again: .+\.$/)
    // Also below somebody's own pause: it is approved no more. What is through is not held.
    expect(stateOf(taken, null, 'cluster').words).toBe('Being held again')
    expect(headlineOf(taken, 'cluster')).toMatch(/ is being held again: /)
    expect(stateOf(change({ state: 'running', pausedUntilHeld: true, settling: true })).words).not.toMatch(/held again/)
  },
)

it('of what somebody counted as done, says at once that they did', () => {
  const counted = change({ state: 'running', settling: true, counted: true })
  expect(stateOf(counted).words).toBe('Counted as done')
  expect(headlineOf(counted)).toMatch(/ has it, and it was counted as done\.$/)
  expect(stateOf(change({ state: 'running', settling: true })).words).toBe('Waits for machines to be Ready')
})
