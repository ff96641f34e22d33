import { expect, test } from 'vitest'
import { ago } from './time-words'

const NOW = Date.parse('2026-11-24T12:00:00Z')
const [S, MIN, H] = [1_000, 60_000, 3_600_000]

test.each<[number, string]>([
  [-10 * MIN, '10 min ago'],
  [-(2 * H + 5 * MIN), '2 h ago'],
  [0, 'just now'],
  [30 * MIN + 20 * S, 'in 30 min'],
  [8 * H - 4 * S, 'in 8 h'],
  [7 * H + 58 * MIN + 50 * S, 'in 7 h 59 min'],
  [H - S, 'in 1 h'],
  [33 * H, 'in 1 d 9 h'],
])('%i ms from now: %s', (ms, words) => expect(ago(new Date(NOW + ms), NOW)).toBe(words))

test('an age alone that has just begun is a moment, not nothing', () => {
  expect(ago(new Date(NOW - 400), NOW, true)).toBe('a moment')
  expect(ago(new Date(NOW - 4 * S), NOW, true)).toBe('4 s')
})
