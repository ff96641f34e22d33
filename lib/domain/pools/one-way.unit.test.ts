import { expect, test } from 'vitest'
import type { Effect } from './effect'
import { oneWayWords } from './one-way'

test.each<[Effect, boolean, string]>([
  ['none', true, 'to the end; holding'],
  ['services', true, 'to the end; holding'],
  ['reload', true, 'to the end; holding'],
  ['drain', true, 'to the end, drained; holding'],
  ['reboot', true, 'to the end, drained and rebooted; holding'],
  ['reboot', false, 'to the end, by default drained and rebooted; holding'],
  ['none', false, 'to the end; holding'],
])('what cannot be undone names what is done to a node: %s, sure: %s', (does, sure, words) =>
  expect(oneWayWords({ does, sure })).toContain(words),
)

test('where what is done to a node is not known, it says nothing of that', () => {
  expect(oneWayWords(null)).toContain('to the end; holding')
  expect(oneWayWords(undefined)).toBe(oneWayWords(null))
})
