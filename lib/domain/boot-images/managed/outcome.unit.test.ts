import { expect, test } from 'vitest'
import type { Does } from '../by-release'
import { managedOutcome, passSince } from './outcome'
import type { SetNow } from './preview'

const set = (name: string, more: Partial<SetNow> = {}): SetNow => ({
  ...{ kind: 'MachineSet', name, labels: {}, replicas: 3, state: 'current', outcome: 'unchanged' },
  ...{ reason: '', current: 'ami-old', wanted: 'ami-new', ...more },
})

test('after: by the images themselves, and by what the operator counts', () => {
  const before = ['a', 'b', 'c'].map((name) => ({ kind: 'MachineSet', name, image: 'ami-old' }))
  const managed = true
  const now = [
    { ...set('a', { current: 'ami-new' }), managed },
    { ...set('b', { outcome: 'error', reason: 'No secret.' }), managed },
    { ...set('c', { outcome: 'update' }), managed: false },
    { ...set('later'), managed },
  ]
  const counts = { total: 3, reconciled: 2, skipped: 0, degraded: 1, controlPlaneDegraded: 0, errors: null }
  const outcome = managedOutcome(before, now, counts)
  expect(outcome).toMatchObject({
    changed: [{ name: 'a', from: 'ami-old', to: 'ami-new' }],
    ...{ open: [], skipped: [], failed: ['b'] },
  })
  expect(outcome.sentences.join(' ')).toContain('2 of 3 as they should be, 1 failed')
  const so = managedOutcome(before, now, { ...counts, underWay: true })
  expect(so.sentences.join(' ')).toContain('says of its pass so far: 2 of 3')
  const words = managedOutcome(before, now, { ...counts, errors: 'no secret x' }).sentences.join(' ')
  // Its words stand with its last pass.
  expect(words).toContain('Failed: b.')
  expect(words).not.toContain('no secret x')
  const none = managedOutcome(before, now, 'came-to-none')
  expect(none.failed).toEqual([])
  expect(none.sentences.slice(1)).toEqual(['The operator’s last pass came to no machine set.'])
  // Only where the cloud is asked is it said to be.
  const written = { ...set('c', { outcome: 'update' }), managed }
  const asked = { ...set('d', { outcome: 'undecided' }), managed }
  expect(managedOutcome(before, [written, asked], null).sentences.slice(1)).toEqual([
    'Not written yet: c.',
    'Not written yet, or not to be written, which only the operator can tell: d.',
  ])
  // Of a set with the right image already the secret alone is replaced.
  const secret = { ...before[1]!, userData: true as const }
  const said = (reason: string) =>
    managedOutcome([secret], [{ ...set('b', { reason }), managed }], counts).sentences.join(' ')
  expect(said('')).toContain('Another user data secret, as foretold: b.')
  expect(said('With its image, its user data secret x is replaced by y.')).not.toContain('secret')
})

test('what the operator counts is of a pass since the decision, or nothing has happened yet', () => {
  const at = '2026-11-30T05:00:00Z'
  const counts = { total: 3, reconciled: 2, skipped: 0, degraded: 1, controlPlaneDegraded: 0, errors: null, at }
  const [before, within, after] = ['2026-11-30T04:59:00.000Z', '2026-11-30T05:00:00.700Z', '2026-11-30T05:00:01.000Z']
  for (const stored of [before, within, null]) expect(passSince(counts, stored!, 'yes')).toEqual(counts)
  expect(passSince({ ...counts, errors: 'no ConfigMap' }, before!, 'no')).toBe('came-to-none')
  expect(passSince({ ...counts, at: undefined }, after!, 'yes')).toMatchObject({ total: 3 })
  const managed = true
  const now = [
    { ...set('a', { outcome: 'skip' }), managed },
    { ...set('b', { outcome: 'error' }), managed },
  ]
  const told = (putOff: Does) => managedOutcome([], now, passSince(counts, after!, putOff)).sentences.slice(1)
  expect(told('yes')).toEqual([
    'It will skip: a.',
    'It will fail on: b.',
    'No pass since; the next begins when the update is through.',
  ])
  expect(told('some').at(-1)).toBe('No pass since; the next may have to wait until the update is through.')
  expect(told('no').at(-1)).toBe('No pass since.')
  expect(managedOutcome([], [{ ...now[0]!, managed: false }], 'none-yet').sentences).toHaveLength(1)
  expect(passSince({ ...counts, errors: 'no ConfigMap' }, after!, 'no')).toBe('none-yet')
  // Drydock's clock is ahead: an image that is another one says better that there was one.
  const image = [{ kind: 'MachineSet', name: 'a', image: 'ami-before' }]
  expect(managedOutcome(image, now, 'none-yet').sentences.join(' ')).not.toContain('No pass')
})

test.each([
  ['masked, with a digest since', 'https://••••••@h/a', 'https://••••••@h/a (digest 0123456789ab)', false],
  ['a query', 'https://h/a?••••••', 'https://h/a?token=•••••• (digest 0123456789ab)', false],
  ['a query that is no credential', 'https://h/a?••••••', 'https://h/a?x=1', false],
  ['another image', 'https://••••••@h/a', 'https://••••••@h/b (digest 0123456789ab)', true],
  ['another credential', 'https://••••••@h/a (digest 0)', 'https://••••••@h/a (digest 1)', true],
])('what was kept before its credential was masked is the image that it was: %s', (_, image, current, isChanged) => {
  const now = { ...set('a', { current }), managed: true }
  const { changed } = managedOutcome([{ kind: 'MachineSet', name: 'a', image }], [now], null)
  expect(changed).toHaveLength(isChanged ? 1 : 0)
})
