import { expect, test } from 'vitest'
import { resolve } from '@/lib/domain/policies'
import { meansNothing } from '@/lib/domain/policies/means-nothing'
import { SHAPE_RULES } from '@/lib/domain/policies/types'
import { alike, kindChoices, POOLS_NEXT, rulesWords, versionsApart, wrongWords } from './words'

test('what a version says and the one before did not', () => {
  const before = { select: { names: ['a'] }, approvals: 1, maxSurge: 2 }
  const now = { select: { names: ['a', 'b'] }, approvals: 2, maxSurge: 2 }
  const { gone, come } = versionsApart(now, before)
  expect(gone).toEqual([expect.stringMatching(/^for .*a/), '1 approval'])
  expect(come).toEqual([expect.stringMatching(/^for .*b/), '2 approvals'])
  expect(versionsApart(now, now)).toEqual({ gone: [], come: [] })
  const canaryIn = (cluster: string) => ({ select: {}, waves: [{ name: 'canary', select: { clusters: [cluster] } }] })
  expect(versionsApart(canaryIn('atlas'), canaryIn('borea'))).toEqual({
    gone: ['in wave canary: groups in management cluster borea'],
    come: ['in wave canary: groups in management cluster atlas'],
  })
})

test('what repeats from another day on', () => {
  const from = (day: string) => ({
    ...{ select: {}, windows: [{ starts: `${day}T22:00`, lasts: '4h', repeats: 'FREQ=DAILY', timeZone: 'UTC' }] },
  })
  expect(versionsApart(from('2026-02-01'), from('2026-01-01'))).toEqual({
    gone: ['only in: every day 22:00 for 4h, UTC, from 2026-01-01 on'],
    come: ['only in: every day 22:00 for 4h, UTC, from 2026-02-01 on'],
  })
  expect(rulesWords(from('2026-02-01'))).toMatch(/UTC$/)
  expect(rulesWords(from('2190-02-01'))).toMatch(/, from 2190-02-01 on$/)
})

test('what is wrong is said with its place, each once', () => {
  const fields = [
    { field: 'spec.waves.0.soak', message: 'Write a time.' },
    { field: 'spec.freezes.1.starts', message: 'Write a day.' },
    { field: 'spec.freezes.1.starts', message: 'Write a day.' },
    { field: 'name', message: 'Give it a name.' },
    { field: 'spec.expiresAfter', message: 'Write a time.' },
    { field: 'spec.select.names.0', message: 'This is no name.' },
    { field: 'spec.maxSurge', message: 'Write a number.' },
  ]
  expect(wrongWords({ fields })).toEqual([
    'wave 1, Then it soaks for: Write a time.',
    'freeze 2, Starts: Write a day.',
    'Name: Give it a name.',
    'An approval lasts: Write a time.',
    'Groups: This is no name.',
    'maxSurge: Write a number.',
  ])
  expect(wrongWords({})).toEqual([])
})

test('kinds: all of them, one, the two of Cluster API, and what is there besides', () => {
  expect(kindChoices('').map(({ words }) => words)).toEqual([
    'worker groups, control planes and pools: every kind',
    'worker groups (MachineDeployment)',
    'control planes (KubeadmControlPlane)',
    'worker groups and control planes',
    'pools (MachineConfigPool)',
  ])
  const there = 'KubeadmControlPlane, MachineConfigPool'
  expect(kindChoices(there).at(-1)).toEqual({ value: there, words: 'control planes and pools' })
})

test('groups that get the same other rules are taken together', () => {
  const group = { cluster: '', workloadCluster: '', labels: {}, namespace: '', kind: '', name: '' }
  const asks = (approvals: number) =>
    resolve([{ id: 'p', name: 'p', version: 1, spec: { select: {}, approvals } }], group)
  const of = (name: string, before: number) => ({
    ...{ cluster: 'm', workloadCluster: 'w', name, now: asks(before), then: asks(2) },
    changes: ['approvals' as const],
  })
  expect(alike([of('a', 1), of('b', 0), of('c', 1)])).toEqual([
    { words: '1 approval → 2 approvals', names: ['m / w / a', 'm / w / c'] },
    { words: 'no approval → 2 approvals', names: ['m / w / b'] },
  ])
})

test('of pools, why their next rollout is not played here, and where it is', () => {
  expect(POOLS_NEXT).toMatch(/not played forward here: .*The page of a change that waits plays that one forward\.$/)
  // No rule says how the nodes of a pool are taken.
  for (const rule of SHAPE_RULES)
    expect(meansNothing(rule, null as never, { kind: 'MachineConfigPool', strategy: null })).not.toBeNull()
})
