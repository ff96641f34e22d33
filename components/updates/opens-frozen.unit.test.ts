import { expect, test } from 'vitest'
import { timingAt } from '@/lib/domain/calendar'
import { goesWords, type Span } from '@/lib/domain/policies'
import { closedWords as serviceWords, timingDto } from '@/lib/services/policies/timing'
import { closedWords } from './timing-words'

const daily = (from: string, lasts: string): Span => ({
  ...{ starts: `2026-01-01T${from}`, lasts, repeats: 'FREQ=DAILY', timeZone: 'UTC' },
})
const of = (name: string, span: Span) => ({ value: [span], policy: { id: name, name, version: 1 }, why: '' })
const freezes = [of('days', { ...daily('10:00', '8h'), why: 'trade' }), of('noon', daily('12:00', '1h'))]

/** Before any of the freezes begins. */
function words(...spans: Span[]): string[] {
  const windows = spans.map((span, i) => of(`w${i}`, span))
  const timing = timingAt({ windows, freezes }, Date.parse('2026-11-24T09:00Z'))
  if (timing.open) throw new Error('open')
  return [closedWords(timingDto(timing)), serviceWords(timing), goesWords(timingDto(timing))]
}

test('of windows that open only while a freeze holds, it is said so, and which that is', () => {
  const then = 'which within a year open only while the policy days freezes it (trade)'
  expect(words(daily('14:00', '1h'))).toEqual([
    `It is outside the windows of the policy w0, ${then}.`,
    `outside the windows of the policy w0, ${then}`,
    'its windows open only in a freeze',
  ])
  expect(words(daily('11:00', '4h'))[1]).toBe(`outside the windows of the policy w0, ${then}, or the policy noon`)
})

test('of those that each open outside freezes, and together only in one', () => {
  const then = 'which within a year are open together only while the policy days freezes it (trade)'
  expect(words(daily('08:00', '8h'), daily('14:00', '8h'))).toEqual([
    `It is outside the windows of the policies w0 and w1, ${then}.`,
    `outside the windows of the policies w0 and w1, ${then}`,
    'its windows are never open together outside a freeze',
  ])
})
