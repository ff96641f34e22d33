import { expect, it } from 'vitest'
import { change } from './testing'
import { headlineOf, stateOf } from './words'

it.each(['approved', 'running', 'stuck'] as const)(
  'of what was let go (%s), and taken back, says at once that it is held again',
  (state) => {
    const taken = change({ state, pausedUntilHeld: true })
    expect(stateOf(taken)).toEqual({ words: 'Being held again', tone: 'needs' })
    expect(headlineOf(taken)).toMatch(/ is being held again: .+\.$/)
    // Somebody's own pause, and that nobody let it go, come first; and so does that it is through.
    expect(stateOf(taken, null, 'cluster').words).toMatch(/paused by somebody$/)
    expect(stateOf(change({ state: 'running', pausedUntilHeld: true, settling: true })).words).not.toMatch(/held again/)
  },
)
