import { describe, expect, test } from 'vitest'
import type { Outcome, Outlook } from '../changes/types'
import {
  authorship,
  byItself,
  endOf,
  expiresWords,
  lapsesAt,
  resolve,
  shapeAdvice,
  standingOf,
  tooEarly,
  tooEarlyWords,
  utcAnd,
  whyNotCounted,
  type Approval,
  type PolicySpec,
} from './index'

const NOW = new Date('2026-11-22T03:00:00Z')
const HOUR = 3_600_000
const after = (ms: number) => new Date(NOW.getTime() + ms)
const group = {
  ...{ cluster: 'c', workloadCluster: 'w', labels: {}, namespace: 'n', kind: 'MachineDeployment', name: 'g' },
}
const saying = (spec: Omit<PolicySpec, 'select'>, name = 'p') =>
  resolve([{ id: name, name, version: 1, spec: { select: {}, ...spec } }], group)
const word = (more: Partial<Approval> = {}): Approval => ({
  ...{ actorId: 'ada', mode: 'in-place', at: NOW, reason: null, expiresAt: null, endedAt: null },
  ...more,
})
const ADA = authorship('ada', [{ id: 'ada', names: ['ada'] }])
const old = { at: after(-10 * 60_000) }

test.each<[string, Partial<Approval>, Omit<PolicySpec, 'select'>, string | null]>([
  ['counts', {}, {}, null],
  ['was taken back', { endedAt: NOW }, {}, 'over'],
  ['expired as was said then', { expiresAt: NOW }, {}, 'expired'],
  ['is too old by now', old, { expiresAfter: '5m' }, 'too-old'],
  ['does not grow old once it began', { ...old, begun: true }, { expiresAfter: '5m' }, null],
  ['has no reason, and one is asked for', {}, { reasonRequired: true }, 'no-reason'],
  ['has one', { reason: 'CVE' }, { reasonRequired: true }, null],
  ['is of the author', {}, { notTheAuthor: true }, 'author'],
])('an approval that %s', (_, more, spec, why) => {
  const rules = saying(spec)
  expect(whyNotCounted(word(more), rules, ADA, NOW)).toBe(why)
  expect(standingOf([word(more)], 'in-place', rules, ADA, NOW).standing).toHaveLength(why ? 0 : 1)
})

describe('when approvals end by themselves', () => {
  test('at the earlier of what was said then and what is asked by now', () => {
    expect(endOf(word(), saying({}))).toBeNull()
    expect(endOf(word({ expiresAt: after(HOUR) }), saying({ expiresAfter: '2h' }))).toEqual(after(HOUR))
    expect(endOf(word({ expiresAt: after(HOUR) }), saying({ expiresAfter: '30m' }))).toEqual(after(HOUR / 2))
    expect(endOf(word({ expiresAt: after(HOUR), begun: true }), saying({ expiresAfter: '30m' }))).toBeNull()
  })
  test('of several, when so many have that some are missing', () => {
    const standing = [word({ expiresAt: after(3) }), word({ expiresAt: after(1) }), word({ expiresAt: after(2) })]
    const at = (needed: number) => lapsesAt({ standing, needed, missing: 0 }, saying({}))
    expect([at(3), at(2), at(1)]).toEqual([after(1), after(2), after(3)])
    expect(lapsesAt({ standing, needed: 4, missing: 1 }, saying({}))).toBeNull()
    expect(lapsesAt({ standing: [...standing, word()], needed: 1, missing: 0 }, saying({}))).toBeNull()
  })
})

describe('approved too early', () => {
  const now = NOW.getTime()
  const of = (ends: number | null, may: number | null, lasts: number | null = 8 * HOUR) =>
    tooEarly(ends === null ? null : now + ends, { now, lasts, may: may === null ? null : now + may })
  test('only where it surely ends before it may go', () => {
    expect(of(null, 5 * HOUR)).toBeNull()
    expect(of(8 * HOUR, 5 * HOUR)).toBeNull()
    expect(of(8 * HOUR, 120 * HOUR)).toEqual({
      ends: '2026-11-22T11:00:00.000Z',
      may: '2026-11-27T03:00:00.000Z',
      from: '2026-11-26T19:00:00.000Z',
    })
    // In the very moment in which it may, it is over.
    expect(of(8 * HOUR, 8 * HOUR)).not.toBeNull()
    expect(of(HOUR, 2 * HOUR)?.from).toBe(NOW.toISOString())
    expect(of(HOUR, 2 * HOUR, null)?.from).toBe(NOW.toISOString())
    expect(of(HOUR, null)).toMatchObject({ may: null, from: null })
  })
  test('in words', () => {
    const early = { ...of(8 * HOUR, 120 * HOUR)!, zone: 'Europe/Berlin', policy: 'prod' }
    expect(tooEarlyWords(early, true)).toBe(
      'The approval expires at 2026-11-22 11:00 UTC, before it may go, at the earliest at 2026-11-27 03:00 UTC (04:00 in Europe/Berlin): approve it again after 2026-11-26 19:00 UTC, let approvals last longer (expiresAfter in the policy prod), or let it go with “Do not wait…” on its page.',
    )
    expect(expiresWords(early, true)).toBe('The approval expires at 2026-11-22 11:00 UTC, before it may go.')
    expect(tooEarlyWords({ ...early, may: null, from: null, policy: null }, false)).toBe(
      'What is approved now expires at 2026-11-22 11:00 UTC, and nothing says that it may go before then: let it go with “Do not wait…” on its page.',
    )
  })
})

test.each([
  ['2026-11-24T21:00Z', 'UTC', '2026-11-24 21:00 UTC'],
  ['2026-11-24T21:00Z', null, '2026-11-24 21:00 UTC'],
  ['2026-11-24T21:00Z', 'Europe/Berlin', '2026-11-24 21:00 UTC (22:00 in Europe/Berlin)'],
  ['2026-11-24T23:30Z', 'Europe/Berlin', '2026-11-24 23:30 UTC (2026-11-25 00:30 in Europe/Berlin)'],
  ['2026-07-24T03:00Z', 'America/New_York', '2026-07-24 03:00 UTC (2026-07-23 23:00 in America/New_York)'],
  ['2027-10-31T00:30Z', 'Europe/Berlin', '2027-10-31 00:30 UTC (02:30 UTC+2 in Europe/Berlin)'],
  ['2027-10-31T01:00Z', 'Europe/Berlin', '2027-10-31 01:00 UTC (02:00 UTC+1 in Europe/Berlin)'],
  ['2027-10-31T02:00Z', 'Europe/Berlin', '2027-10-31 02:00 UTC (03:00 in Europe/Berlin)'],
])('%s in %s: %s', (at, zone, words) => expect(utcAnd(at, zone)).toBe(words))

const outcome = (counts: Outcome['counts'], more: Partial<Outcome> = {}): Outcome => ({
  ...{ counts, created: 0, deleted: 0, headline: '' },
  ...more,
})
const looks = (inPlace: Outcome | null): Outlook => ({ inPlace, replace: outcome({ replace: 3 }), uncovered: [] })

test.each<[string, Omit<PolicySpec, 'select'>, Outlook, string, RegExp | null]>([
  ['goes', { approvals: 0 }, looks(outcome({ 'in-place': 3 })), 'MachineDeployment', null],
  ['asks', { approvals: 1 }, looks(null), 'MachineDeployment', /^The policy p asks for approvals\.$/],
  [
    'replaces',
    { approvals: 0 },
    looks(null),
    'MachineDeployment',
    /^Its machines would be replaced, .*strategy: replace/,
  ],
  [
    'replaces a part',
    { approvals: 0 },
    looks(outcome({ 'in-place': 2, replace: 1 })),
    'MachineDeployment',
    /^1 of its machines would be replaced/,
  ],
  [
    'replaces a control plane',
    { approvals: 0, strategy: 'replace' },
    looks(null),
    'KubeadmControlPlane',
    /^Machines of control planes are never deleted by itself\.$/,
  ],
])('nobody is asked, and it %s', (_, spec, outlook, kind, why) => {
  const found = byItself(saying(spec), outlook, kind)
  if (why) expect(found).toEqual({ way: null, why: expect.stringMatching(why) as string })
  else expect(found).toEqual({ way: 'in-place', why: null })
})

test('nobody is asked, and whether it can go in place is not known: it is not told that it replaces, but where that is certain', () => {
  const unknown = (counts: Outcome['counts'], more: Partial<Outlook> = {}): Outlook => ({
    ...looks(null),
    ...{ whyNotInPlace: 'No updater has been asked yet.', unknown: outcome(counts), ...more },
  })
  const of = (outlook: Outlook, kind = 'MachineDeployment', spec = {}) =>
    byItself(saying({ approvals: 0, ...spec }), outlook, kind)
  const why =
    'Whether it can go in place is not known: No updater has been asked yet. Where it can, it goes by itself once that is known.'
  expect(of(unknown({ unknown: 3 }))).toEqual({ way: null, why, open: true })
  expect(of(unknown({ unknown: 3 }), 'KubeadmControlPlane')).toMatchObject({ open: true })
  expect(of(unknown({ unknown: 3 }, { spareFirst: true }), 'KubeadmControlPlane').why).toMatch(/never deleted/)
  expect(of(unknown({ unknown: 2, replace: 1 }))).toEqual({
    way: null,
    why: expect.stringMatching(/^1 of its machines would be replaced/) as string,
  })
  expect(of(unknown({ unknown: 3 }), 'MachineDeployment', { strategy: 'replace' })).toMatchObject({ way: 'replace' })
})

test.each<[Omit<PolicySpec, 'select'>, string, string | null]>([
  [
    { maxSurge: 0 },
    'MachineDeployment',
    'maxSurge and maxUnavailable may not both be 0: write maxUnavailable: 1 in the policy p',
  ],
  [
    { maxSurge: '0%', maxUnavailable: 0 },
    'MachineDeployment',
    'maxSurge and maxUnavailable may not both be 0: write maxUnavailable: 1 in the policy p',
  ],
  [
    { maxUnavailable: 0 },
    'MachineDeployment',
    'maxSurge and maxUnavailable may not both be 0: write maxSurge: 1 in the policy p',
  ],
  [{ maxSurge: 0, maxUnavailable: 1 }, 'MachineDeployment', null],
  [{ maxSurge: 0 }, 'KubeadmControlPlane', null],
  [{ drainTimeout: '10m' }, 'MachineDeployment', null],
])('what to write where %j of a %s is refused', (spec, kind, words) =>
  expect(shapeAdvice(saying(spec), kind)).toBe(words),
)

describe('what takes back what a wider policy says', () => {
  const span = { starts: '2026-01-01T22:00', lasts: '4h', timeZone: 'UTC' }
  const wide = { id: 'w', name: 'wide', version: 1, spec: { select: {}, windows: [span], waves: [{ name: 'a' }] } }
  const narrow = (spec: Omit<PolicySpec, 'select'>) =>
    resolve([wide, { id: 'n', name: 'narrow', version: 1, spec: { select: { names: ['g'] }, ...spec } }], group)
  test('is told, with the policy that says so', () => {
    const rules = narrow({ windows: 'always', waves: 'none' })
    expect(rules).toMatchObject({ windows: [], waves: null })
    expect(rules.always).toMatchObject({ policy: { name: 'narrow' }, why: 'it names the group g' })
    expect(rules.noWaves).toMatchObject({ policy: { name: 'narrow' }, why: 'it names the group g' })
  })
  test('and only where it does', () => {
    expect(narrow({})).not.toHaveProperty('always')
    expect(narrow({})).not.toHaveProperty('noWaves')
    expect(narrow({ windows: [span] })).not.toHaveProperty('always')
  })
})
