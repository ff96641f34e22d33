import { expect, test } from 'vitest'
import { closable } from './managed-sheet'

test.each(['recorded', 'applying', 'waiting', 'accepted'] as const)('what is %s goes on without its sheet', (state) =>
  expect(closable(state)).toMatch(/^This can be closed: it goes on without/),
)

test('what failed does not, and of what is over nothing goes on', () => {
  expect(closable('failed')).toMatch(/^It does not go on by itself/)
  for (const state of ['seen', 'cancelled', 'superseded', 'overtaken'] as const) expect(closable(state)).toBeNull()
})
