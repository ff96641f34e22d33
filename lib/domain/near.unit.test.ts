import fc from 'fast-check'
import { expect, test } from 'vitest'
import { near } from './near'

const KNOWN = ['approvals', 'strategy', 'select', 'stopsAt', 'Europe/Berlin', 'Europe/Dublin', 'BYDAY', 'a']

test.each<[string, string | null]>([
  ['aprovals', 'approvals'],
  ['Approvals', 'approvals'],
  ['approvlas', 'approvals'],
  ['stopAt', 'stopsAt'],
  ['Europe/Berln', 'Europe/Berlin'],
  ['BYDAYS', 'BYDAY'],
  ['strat', 'strategy'],
  ['surge', null],
  ['b', null],
  ['', null],
  ['x'.repeat(65), null],
])('%s is near %s', (word, expected) => expect(near(word, KNOWN)).toBe(expected))

test('a known word is nearest to itself', () => {
  fc.assert(fc.property(fc.constantFrom(...KNOWN), (word) => near(word, KNOWN) === word))
})
