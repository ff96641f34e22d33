import { expect, test } from 'vitest'
import { isUnanswered, liveWords, type Shown } from './preview'

test('the live line says how many groups it is for, and how much is wrong', () => {
  const of = (part: Partial<Shown>) => liveWords({ value: undefined, error: null, pending: false, ...part } as Shown)
  const value = { matching: 3 } as Shown['value']
  expect(of({ value })).toBe('3 groups match')
  expect(of({ value, error: { code: 'invalid', message: '', fields } })).toBe('3 groups match · 1 error')
  expect(of({ value, pending: true })).toBe('3 groups match · being looked at…')
  expect(of({ value, error: { code: 'unavailable', message: '' } })).toBe('3 groups match · not looked at')
  expect(of({})).toBe('')
})

const fields = [{ field: 'name', message: 'It has none.' }]

test.each([
  ['the server was not reached', { code: 'unavailable', message: '' }, true],
  ['something in Drydock went wrong', { code: 'internal', message: '' }, true],
  ['what was typed is wrong', { code: 'invalid', message: '', fields }, false],
  ['another policy cannot be read, and is to be mended', { code: 'conflict', message: '' }, false],
] as const)('%s: whether nobody knows what it would do', (_, error, expected) => {
  expect(isUnanswered(error)).toBe(expected)
})
