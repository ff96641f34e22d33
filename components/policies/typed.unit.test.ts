import { describe, expect, test } from 'vitest'
import { resolve, type PolicySpec } from '@/lib/domain/policies'
import { SpecInput } from '@/lib/services/policies/schemas'
import { EMPTY, newName, specOf, typedOf } from './typed'
import { changeWords, rulesWords, saidBy, selectionWords } from './words'

const FULL: PolicySpec = {
  select: {
    clusters: ['atlas'],
    workloadClusters: ['payments-*', 'search-eu'],
    labels: { env: 'prod', 'example.com/team': '*' },
    namespaces: ['payments'],
    kinds: ['KubeadmControlPlane'],
    names: ['*-a'],
  },
  strategy: 'in-place-only',
  approvals: 2,
  notTheAuthor: true,
  scaleWhileHeld: true,
  ...{ maxSurge: 0, maxUnavailable: '10%', deletionOrder: 'Oldest', drainTimeout: '15m', detachTimeout: 'never' },
  updaterOrder: ['kubelet', 'os'],
  reasonRequired: false,
  expiresAfter: '24h',
  windows: [
    {
      ...{ starts: '2026-01-06T22:00', lasts: '4h', repeats: 'FREQ=WEEKLY;BYDAY=TU,TH', timeZone: 'Europe/Berlin' },
      why: 'nights',
    },
  ],
  freezes: [{ starts: '2026-12-18T18:00', ends: '2027-01-04T06:00', timeZone: 'UTC' }],
  waves: [
    { name: 'canary', select: { labels: { tier: 'canary' }, namespaces: ['x'] }, soak: '24h' },
    {
      name: 'tenth',
      select: { workloadClusters: ['a-*'], names: ['md'], clusters: ['borea'], kinds: ['MachineDeployment'] },
      size: '10%',
    },
    { name: 'rest', ownApproval: true },
  ],
}

describe('a policy as it is typed', () => {
  test.each<[string, PolicySpec]>([
    ['all of it', FULL],
    ['nothing', { select: {} }],
    ['two kinds of three', { select: { kinds: ['MachineDeployment', 'MachineConfigPool'] } }],
    ['zero approvals', { select: {}, approvals: 0 }],
    ['at any time', { select: {}, windows: 'always' }],
    ['all at once', { select: {}, waves: 'none' }],
  ])('%s comes back as it was', (_, spec) => expect(specOf(typedOf('p', spec))).toEqual(spec))

  test('what cannot be right is sent as it was typed, for the server to say what is wrong', () => {
    expect(specOf({ ...EMPTY, approvals: 'two', labels: 'env', expiresAfter: ' 1 day ' })).toEqual({
      select: { labels: { env: '*' } },
      approvals: 'two',
      expiresAfter: '1 day',
    })
    const twice = specOf({ ...EMPTY, labels: 'env=prod, env=stage' })
    expect(SpecInput.safeParse(twice).success).toBe(false)
  })
})

test.each<[PolicySpec['select'], string]>([
  [{}, 'every group'],
  [{ kinds: ['KubeadmControlPlane'] }, 'control planes'],
  [{ names: ['a', 'b'] }, 'groups named a or b'],
  [
    { kinds: ['MachineDeployment'], namespaces: ['x'], labels: { env: 'prod', gpu: '*' } },
    'worker groups in namespace x, of workload clusters labelled env=prod and gpu',
  ],
])('for whom: %j', (select, words) => expect(selectionWords(select)).toBe(words))

test('what it says, and what would change', () => {
  expect(rulesWords(FULL)).toBe(
    '2 approvals, in place only, not the author’s, a reason may be left out, expires after 24h, scales while it is held, maxSurge 0, maxUnavailable 10%, deletion order Oldest, drain time-out 15m, detach time-out never, updaters first: kubelet, os, only in: Tue, Thu 22:00 for 4h, Europe/Berlin (nights), in waves: canary (then 24h), then tenth (10% of the groups), then rest (begun by a person), not in: 2026-12-18 18:00 to 2027-01-04 06:00, UTC',
  )
  expect(rulesWords({})).toBe('nothing')
  const group = { cluster: '', workloadCluster: '', labels: {}, namespace: '', kind: '', name: '' }
  const then = resolve([{ id: 'p', name: 'p', version: 1, spec: { select: {}, approvals: 0 } }], group)
  const frozen = resolve([{ id: 'p', name: 'p', version: 1, spec: { select: {}, freezes: FULL.freezes } }], group)
  expect(changeWords('freezes', then, frozen)).toBe('no freeze → not in: 2026-12-18 18:00 to 2027-01-04 06:00, UTC')
  const inWaves = resolve(
    [{ id: 'p', name: 'p', version: 1, spec: { select: {}, waves: [{ name: 'all', size: 3 }] } }],
    group,
  )
  expect(changeWords('waves', then, inWaves)).toBe('all at once → in waves: all (3), then rest')
  const canaryIn = (cluster: string) =>
    resolve(
      [
        {
          ...{ id: 'p', name: 'p', version: 1 },
          spec: { select: {}, waves: [{ name: 'canary', select: { clusters: [cluster] } }, { name: 'rest' }] },
        },
      ],
      group,
    )
  expect(changeWords('waves', canaryIn('borea'), canaryIn('atlas'))).toBe(
    'waves change: in wave canary: groups in management cluster borea → in wave canary: groups in management cluster atlas',
  )
  expect([saidBy('waves', inWaves), saidBy('waves', then)]).toEqual(['policy p, version 1: it is for every group', ''])
  expect(saidBy('freezes', frozen)).toBe('policy p, version 1: it is for every group')
  expect(changeWords('approvals', resolve([], group), then)).toBe('1 approval → no approval')
})

test('a new wave has a name that no other has', () => {
  expect(newName([])).toBe('wave-1')
  expect(newName([{ name: 'canary' }])).toBe('wave-2')
  expect(newName([{ name: 'wave-3' }, { name: 'canary' }])).toBe('wave-4')
})
