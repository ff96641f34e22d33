import { expect, test } from 'vitest'
import { isUnanswered } from './preview'

const fields = [{ field: 'name', message: 'It has none.' }]

test.each([
  ['the server was not reached', { code: 'unavailable', message: '' }, true],
  ['something in Drydock went wrong', { code: 'internal', message: '' }, true],
  ['what was typed is wrong', { code: 'invalid', message: '', fields }, false],
  ['another policy cannot be read, and is to be mended', { code: 'conflict', message: '' }, false],
] as const)('%s: whether nobody knows what it would do', (_, error, expected) => {
  expect(isUnanswered(error)).toBe(expected)
})
