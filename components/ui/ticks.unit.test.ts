import { expect, test } from 'vitest'
import { tickedSteps } from './ticks'

test.each([
  ['refused', {}, { mark: 'failed', words: 'refused' }],
  ['answered with success', { refusal: 'not stored as sent' }, { mark: 'failed', words: 'not stored as sent' }],
  ['not answered', { unsure: true }, { mark: 'waiting', words: 'not known whether it took it' }],
])('what failed and was %s', (_, more, shown) => {
  const times = { recordedAt: '2026-11-29T18:00:00.000Z', acceptedAt: null, seenAt: null }
  expect(tickedSteps({ state: 'failed', ...times, ...more })[1]).toMatchObject(shown)
})
