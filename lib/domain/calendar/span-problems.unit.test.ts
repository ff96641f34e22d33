import { expect, it } from 'vitest'
import type { Span } from '../policies'
import { spanProblems } from './index'

it('every part that is wrong is told at once', () => {
  const span = { starts: '2026-11-24 22:00', timeZone: 'Berlin', repeats: 'FREQ=HOURLY' }
  expect(spanProblems(span as Span).map(({ field }) => field)).toEqual(['timeZone', 'starts', 'lasts', 'repeats'])
})
