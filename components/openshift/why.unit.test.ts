import { expect, test } from 'vitest'
import { besideWhy, dayOf, firstDay, isPast, saidAnew } from './why'

const refused = (fields?: { field: string; message: string }[]) => ({ message: 'No.', code: 'invalid', fields })
const STANDING = '2099-01-01T07:30:00.000Z'

test.each<[what: string, day: string, standing: string | null, reviewAt: unknown]>([
  ['left as it was', '2099-01-01', STANDING, STANDING],
  ['another day', '2099-02-01', STANDING, '2099-02-01T12:00:00Z'],
  ['emptied', '', STANDING, null],
  ['none, and none stands', '', null, undefined],
  ['a day where none stands', '2099-02-01', null, '2099-02-01T12:00:00Z'],
  ['none where the one that stands has come', '', '2020-01-01T12:00:00Z', undefined],
])('a review date: %s', (_, day, standing, reviewAt) => {
  expect(saidAnew({ reason: ' ', reviewAt: day }, standing)).toEqual({ reason: undefined, reviewAt })
})

test('a sheet begins with the day of the review that stands', () => {
  expect([dayOf(STANDING), dayOf('2020-01-01T12:00:00Z'), dayOf(null)]).toEqual(['2099-01-01', '', ''])
})

test('a refusal that stands at the reason or the date is not said once more above the button', () => {
  const date = { field: 'reviewAt', message: 'The review date must lie in the future.' }
  expect(besideWhy(refused([date]))).toBeNull()
  expect(besideWhy(refused([date, { field: 'reason', message: 'Say why.' }]))).toBeNull()
  for (const other of [refused(), refused([]), refused([date, { field: 'uid', message: 'None.' }])])
    expect(besideWhy(other)).toBe(other)
  expect(besideWhy(null)).toBeNull()
})

test('a review can be on the first day whose noon is to come', () => {
  expect(firstDay(Date.parse('2026-11-30T11:59:00Z'))).toBe('2026-11-30')
  expect(firstDay(Date.parse('2026-11-30T12:00:00Z'))).toBe('2026-12-01')
  expect(['', firstDay(), '2020-01-01'].map((reviewAt) => isPast({ reason: '', reviewAt }))).toEqual([
    false,
    false,
    true,
  ])
})
