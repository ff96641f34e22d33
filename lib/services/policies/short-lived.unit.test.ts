import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { shutTimes } from '@/lib/domain/calendar'
import type { Policy, PolicySpec } from '@/lib/domain/policies'
import { policiesOf } from './imported'
import { calendarOf } from './previewed-times'
import { shortLived } from './short-lived'

const policy = (spec: Partial<PolicySpec>): Policy => ({
  id: 'p',
  name: 'p',
  version: 1,
  spec: { select: {}, ...spec },
})
const NOW = Date.parse('2026-11-24T12:00Z')
const said = (spec: Partial<PolicySpec>, now = NOW) => shortLived(now)(policy(spec))
const place = { timeZone: 'Europe/Berlin' }
/** Tuesday and Thursday night. */
const windows = [{ starts: '2026-01-06T22:00', lasts: '4h', repeats: 'FREQ=WEEKLY;BYDAY=TU,TH', ...place }]
const freezes = [{ starts: '2026-12-18T18:00', ends: '2027-01-04T06:00', ...place }]

test.each<[string, Partial<PolicySpec>, string | null]>([
  ['a day', { expiresAfter: '24h', windows }, '2026-11-25T01:00 2026-11-26T21:00 5d'],
  ['as long as that', { expiresAfter: '116h', windows }, '2026-11-27T01:00 2026-12-01T21:00 5d'],
  ['longer', { expiresAfter: '5d', windows }, null],
  [
    'longer, but not than a freeze to come',
    { expiresAfter: '5d', windows, freezes },
    '2026-12-18T01:00 2027-01-05T21:00 19d',
  ],
  ['nothing but a freeze', { expiresAfter: '7d', freezes }, '2026-12-18T17:00 2027-01-04T05:00 17d'],
  ['longer than all', { expiresAfter: '19d', windows, freezes }, null],
  ['for good', { expiresAfter: 'never', windows, freezes }, null],
  ['by what others say', { windows }, null],
  ['no times', { expiresAfter: '1h' }, null],
  [
    'hours',
    { expiresAfter: '1h', windows: [{ ...windows[0]!, repeats: 'FREQ=DAILY' }] },
    '2026-11-24T12:00 2026-11-24T21:00 22h',
  ],
  ['it never opens', { expiresAfter: '1h', windows: [{ starts: '2026-01-06T22:00', lasts: '4h', ...place }] }, null],
  ['it cannot be followed', { expiresAfter: '1h', windows: [{ ...windows[0]!, repeats: 'FREQ=MINUTELY' }] }, null],
])('%s', (_, spec, words) => {
  const found = said(spec)
  expect(found && `${found.from.slice(0, 16)} ${found.to.slice(0, 16)} ${found.enough}`).toBe(words)
})

test('what has closed for good is not waited for', () => {
  const once = { starts: '2026-11-24T10:00', lasts: '4h', timeZone: 'UTC' }
  expect(shutTimes(calendarOf(policy({ windows: [once] })), NOW)).toEqual([])
})

test('the policy that the docs begin with lasts', () => {
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(readFileSync('docs/policies.md', 'utf8')) ?? []
  const [{ name, spec } = policy({})] = policiesOf(text)
  expect(name).toBe('production')
  expect(said(spec, Date.parse('2026-12-15T12:00Z'))).toBeNull()
  expect(said({ ...spec, expiresAfter: '7d' }, Date.parse('2026-12-15T12:00Z'))).not.toBeNull()
})
