import { expect, test } from 'vitest'
import { offerOf } from './offer-of'

const undated = {
  best: { versionKind: 'OCPVersion', version: '4.18.3', sure: 'likely', why: 'a names 4.18.3' },
  items: [{ source: 'machine-sets', sentence: 'b has no age.', sure: 'unknown' }],
}
const offer = (specSkew: object | null) => offerOf({ evidence: undated, unheardWhy: null, specSkew } as never)?.version

test('an acknowledgement counts before its operator has taken it up: nothing newer is offered while a set is undated', () => {
  expect(offer({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.14.0' } })).toBe('4.14.0')
  expect(offer({ mode: 'None' })).toBe('4.18.3')
  expect(offer(null)).toBe('4.18.3')
})
