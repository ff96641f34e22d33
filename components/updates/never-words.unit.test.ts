import { expect, test } from 'vitest'
import type { Closing } from '@/lib/domain/calendar'
import { goesWords } from '@/lib/domain/policies'
import { closedWords as toldInside, timingDto } from '@/lib/services/policies/timing'
import { closedWords, notNowWords } from './timing-words'

const freeze: Closing = { why: 'freeze', span: { starts: '', timeZone: 'UTC', why: 'xmas' }, policy: 'sale' }
const ONCE = { open: false, why: 'window', span: null, policy: 'once', opens: null } as const
const TWICE: Closing = { why: 'window', span: null, policy: 'twice' }

test('nothing is promised of the end of a freeze that lies over the last of all windows', () => {
  expect(notNowWords(timingDto({ ...ONCE, also: [freeze] }), null)?.join(' ')).toBe(
    'The policy sale freezes it (xmas), and the windows of the policy once are not open outside a freeze within a year. What is approved now does not go by itself before that is changed.',
  )
  expect(toldInside({ ...ONCE, also: [TWICE, freeze] })).toBe(
    'frozen by the policy sale (xmas), and the windows of the policy once and the policy twice are not open outside a freeze within a year',
  )
})

test('nor where each of them is open after it, and never together', () => {
  const apart = { ...ONCE, also: [TWICE, freeze], apart: ['once', 'twice'] }
  const words = 'the windows of the policies once and twice are never open together outside a freeze within a year'
  expect(toldInside(apart)).toBe(`frozen by the policy sale (xmas), and ${words}`)
  expect(closedWords(timingDto(apart))).toBe(`The policy sale freezes it (xmas), and ${words}.`)
  expect(goesWords(timingDto(apart))).toBe('its windows are never open together outside a freeze')
})
