import { expect, test } from 'vitest'
import type { Resolved, Span } from '@/lib/domain/policies'
import { closedWords, timingOf, UNTIMED } from './timing'

const told = (name: string, repeats: string) => {
  const span: Span = { starts: '2026-01-01T00:00', lasts: '24h', repeats, timeZone: 'UTC' }
  return { value: [span], policy: { id: name, name, version: 1 }, why: '' }
}
const words = (rules: Pick<Resolved, 'windows' | 'freezes'>): string => {
  const timing = timingOf(rules, UNTIMED, new Date('2026-06-01T12:00Z'))
  return timing.open ? 'open' : closedWords(timing)
}

test('what cannot be followed is closed, and told by whose it is', () => {
  const [daily, wrong] = [told('nights', 'FREQ=DAILY'), told('yearend', 'FREQ=YEARLY;BYWEEKNO=52')]
  expect(words({ windows: [daily], freezes: [] })).toBe('open')
  expect(words({ windows: [daily], freezes: [wrong] })).toBe(
    'frozen by the policy yearend (With BYWEEKNO, say on which days of the week: BYWEEKNO=20;BYDAY=TU): nothing says when it may go',
  )
  const [span] = daily.value
  const nowhere = { ...daily, value: [{ ...span!, timeZone: 'Moon/Base' }] }
  expect(words({ windows: [], freezes: [nowhere] })).toContain('frozen by the policy nights')
  expect(words({ windows: [daily, wrong], freezes: [] })).toContain('outside the windows of the policy yearend')
})
