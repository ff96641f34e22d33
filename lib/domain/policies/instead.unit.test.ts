import { expect, test } from 'vitest'
import type { Outlook } from '../changes/types'
import { insteadOf } from './instead'
import type { Strategy } from './types'

const rules = (value: Strategy) => ({ strategy: { value, why: '', policy: null } })
const outcome = { counts: { replace: 2 }, created: 2, deleted: 2, headline: '' }
const only: Outlook = { inPlace: null, replace: outcome, whyNotInPlace: 'Nobody covers it.' } as Outlook
const able: Outlook = { ...only, inPlace: { ...outcome, counts: { 'in-place': 2 } } } as Outlook
const partly: Outlook = { ...only, inPlace: { ...outcome, counts: { 'in-place': 1, replace: 1 } } } as Outlook
const unknown: Outlook = { ...only, unknown: outcome }
const blocked: Outlook = { ...able, blocked: 'no' } as Outlook

test.each([
  ['prefer-in-place', able, null, null],
  ['prefer-in-place', able, 'in-place', null],
  ['prefer-in-place', able, 'replace', 'replace'],
  ['prefer-in-place', only, 'replace', null],
  ['prefer-in-place', unknown, 'replace', 'replace'],
  ['in-place-only', able, null, null],
  ['in-place-only', only, null, 'blocked'],
  ['in-place-only', partly, null, 'blocked'],
  ['in-place-only', unknown, null, null],
  ['replace', able, null, 'replace'],
  ['replace', unknown, null, 'replace'],
  ['replace', only, null, null],
  ['replace', blocked, null, null],
  ['in-place-only', blocked, null, null],
] as const)('%s, %#: %s', (strategy, outlook, due, verdict) => {
  const instead = insteadOf(rules(strategy), outlook, due)
  expect(instead?.verdict ?? null).toBe(verdict)
  // What is up to date, or cannot go anyway, stays what it is.
  for (const other of ['up-to-date', 'blocked'] as const) expect(instead?.of.has(other) ?? false).toBe(false)
  if (verdict === 'replace') expect(instead!.of.has('replace')).toBe(false)
})
