import { expect, test } from 'vitest'
import type { RevisionPair } from '@/lib/domain/changes'
import { isOfAnother, isRuledSince, isUnaskedSince } from './edited'

const pair = (from: string, more: Partial<RevisionPair> = {}): RevisionPair => ({
  ...{ from, machines: 1, fingerprint: from, changes: [], templates: 't1' },
  ...{ config: { apiVersion: 'v1beta2', digest: 'c1' }, ...more },
})
const approved = [pair('a'), pair('b', { templates: 't2' })]
const filled = { apiVersion: 'v1beta2', digest: 'c1', filled: 'bad' }

test.each<[string, RevisionPair, boolean]>([
  ['of what was approved for some of them', pair('new'), false],
  ['of what was approved for another of them', pair('new', { templates: 't2' }), false],
  ['of other templates', pair('new', { templates: 't3' }), true],
  ['of another config', pair('new', { config: { apiVersion: 'v1beta2', digest: 'c2' } }), true],
  ['that joins elsewhere', pair('new', { config: filled }), true],
  ['of which nothing is known', pair('new', { templates: undefined, config: undefined } as never), false],
  ['that was there, which is compared with itself', pair('a', { templates: 't3' }), false],
])('a machine set that came since, %s, is of what nobody approved: %s', (_, now, is) => {
  expect(isOfAnother(approved, { changeSet: { pairs: [now], fields: [] } })).toBe(is)
})

test('of what was approved before configurations were kept, nothing is known', () => {
  const old = [{ from: 'a', fingerprint: 'a', changes: [] }]
  expect(isOfAnother(old, { changeSet: { pairs: [pair('new')], fields: [] } })).toBe(false)
})

const RULE = { object: 'machine' as const, path: 'rollout.before.certificatesExpiryDays', desired: 30 }
test.each([
  ['nobody knew of it', [pair('a')], 'a', true],
  ['nobody knew of it, of a machine that is up to date', [pair('a')], 'new', true],
  ['it was known of another machine', [pair('a'), pair('b', { changes: [RULE] })], 'a', true],
  ['it was known', [pair('a', { changes: [RULE] })], 'a', false],
  ['it was known of those before it', [pair('a', { changes: [RULE] })], 'new', false],
])('a rule replaces a machine of what was let go in place, and %s', (_, known, from, is) => {
  expect(isRuledSince(known, pair(from, { changes: [RULE] }))).toBe(is)
})

const MARKED = { certainReplace: 'It is marked.' }
test.each([
  ['is marked by now', [pair('a')], pair('a', MARKED), true],
  ['was marked when that was approved', [pair('a', MARKED)], pair('a', MARKED), false],
  ['is marked by now, and another one was then', [pair('a'), pair('b', MARKED)], pair('a', MARKED), true],
  ['came since, and is marked', [pair('a')], pair('new', MARKED), true],
  ['has a date ahead', [pair('a')], pair('a', { ...MARKED, later: true }), false],
  ['cannot be read', [pair('a')], pair('a', { ...MARKED, unread: 'no' }), false],
  ['waits for its template', [pair('a')], pair('a', { ...MARKED, missing: 't' }), false],
  ['is as it was', [pair('a')], pair('a'), false],
])('a machine of what was let go in place %s', (_, approved, now, is) => {
  expect(isUnaskedSince(approved, now)).toBe(is)
})
