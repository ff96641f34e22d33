import { expect, test } from 'vitest'
import { SKEW_VERDICTS } from '@/lib/domain/skew/verdict'
import { headline, ruleInWords, VERDICTS, verdictOf } from './words'

test('every verdict has its words, and only what is not known is called unknown', () => {
  expect(verdictOf('unsupported-release').words).toBe('no limit here')
  expect(SKEW_VERDICTS.filter((verdict) => verdictOf(verdict).words === 'unknown')).toEqual(['unknown'])
  for (const other of [null, 'of another release']) expect(verdictOf(other)).toEqual(VERDICTS.unknown)
})

test('a line of a selector in words', () => {
  const key = 'example.com/x'
  expect(ruleInWords({ key, operator: 'In', values: ['a'] })).toBe('example.com/x=a')
  expect(ruleInWords({ key, operator: 'NotIn', values: ['a', 'b'] })).toBe('example.com/x is none of a, b')
  expect(ruleInWords({ key, operator: 'DoesNotExist', values: [] })).toBe('example.com/x is not there')
})

test('a cluster whose operator fails need not be below its limit', () => {
  expect(headline({ clusters: 1, closed: 1 })).toBe('The boot images of the OpenShift cluster keep its updates closed.')
  expect(headline({ clusters: 1, closed: 0 })).toBe('The boot image keeps no update closed.')
})
