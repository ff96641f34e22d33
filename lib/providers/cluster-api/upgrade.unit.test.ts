import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { blockingHooks, isHandedDown, isSettled, isWanted, nextInOrder, nextVersion, withVersion } from './upgrade'

const OWNED = { 'topology.cluster.x-k8s.io/owned': '' }
const object = (kind: string, spec: JsonObject, status: JsonObject = {}, labels: Record<string, string> = OWNED) =>
  ({
    ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind, spec, status },
    metadata: { name: 'x', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 3, labels },
  }) as unknown as KubeObject
const cluster = (version: string, plans: { controlPlane?: string[]; workers?: string[] } = {}) =>
  object(
    'Cluster',
    { topology: { version } },
    Object.fromEntries(
      Object.entries(plans).map(([of, plan]) => [of, { upgradePlan: plan.map((v) => ({ version: v })) }]),
    ),
  )
const plane = (version: string, status: JsonObject = {}, labels = OWNED) =>
  object('KubeadmControlPlane', { version }, status, labels)
const workers = (version: string) => object('MachineDeployment', { template: { spec: { version } } })

describe('the version that comes next', () => {
  test.each([
    ['a patch version', cluster('v1.34.1'), plane('v1.34.0'), 'v1.34.1'],
    ['a minor version', cluster('v1.35.0'), workers('v1.34.3'), 'v1.35.0'],
    ['another build', cluster('v1.34.1+rke2r2'), workers('v1.34.1+rke2r1'), 'v1.34.1+rke2r2'],
    ['a plan of steps that were made', cluster('v1.36.0', { controlPlane: ['v1.36.0'] }), plane('v1.34.0'), null],
    ['the same', cluster('v1.34.0'), plane('v1.34.0'), null],
    ['a lower one, forced', cluster('v1.33.0'), plane('v1.34.0'), null],
    ['two minor versions without a plan', cluster('v1.36.0'), plane('v1.34.0'), null],
    [
      'the first step of a plan',
      cluster('v1.36.0', { controlPlane: ['v1.35.2', 'v1.36.0'] }),
      plane('v1.34.0'),
      'v1.35.2',
    ],
    [
      'the workers’ own plan',
      cluster('v1.36.0', { controlPlane: ['v1.35.2', 'v1.36.0'], workers: ['v1.36.0'] }),
      workers('v1.34.0'),
      'v1.36.0',
    ],
    ['a plan of before', cluster('v1.34.2', { controlPlane: ['v1.34.1'] }), plane('v1.34.0'), null],
    ['a Cluster without topology', object('Cluster', {}), plane('v1.34.0'), null],
    ['a group of its own', cluster('v1.34.1'), plane('v1.34.0', {}, {} as never), null],
  ])('%s', (_, of, group, next) => expect(nextVersion(of, group)).toBe(next))

  test.each([
    [['x'], null, 'v1.34.1'],
    [['x'], 'defer-upgrade', null],
    [['a', 'x'], 'hold-upgrade-sequence', null],
    [['x', 'a'], null, 'v1.34.1'],
  ])('in the topology %j with %s on the first: %s', (names, annotation, next) => {
    const machineDeployments = names.map((name, i) => ({
      name,
      ...(annotation && i === 0
        ? { metadata: { annotations: { [`topology.cluster.x-k8s.io/${annotation}`]: '' } } }
        : {}),
    }))
    const of = object('Cluster', { topology: { version: 'v1.34.1', workers: { machineDeployments } } })
    const group = workers('v1.34.0')
    group.metadata.labels = { ...OWNED, 'topology.cluster.x-k8s.io/deployment-name': 'x' }
    expect(nextVersion(of, group)).toBe(next)
    expect(isWanted(of, group)).toBe(next !== null)
  })

  test('of a Cluster that goes, none', () => {
    const going = cluster('v1.34.1')
    going.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
    expect(nextVersion(going, plane('v1.34.0'))).toBeNull()
  })
})

test('the group with another version is one that its manager has not seen, and else the same', () => {
  for (const group of [plane('v1'), workers('v1')]) {
    const next = withVersion(group, 'v2')
    expect(next.metadata.generation).toBe(4)
    expect(JSON.stringify(next).replace('"v2"', '"v1"').replace('"generation":4', '"generation":3')).toBe(
      JSON.stringify(group),
    )
  }
})

test('only a higher version of a managed group is handed down', () => {
  const [old, now] = [plane('v1.34.0'), plane('v1.34.1')]
  const own = plane('v1.34.0', {}, {} as never)
  expect([isHandedDown(old, now), isHandedDown(now, now), isHandedDown(now, old), isHandedDown(own, now)]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test.each([
  ['through', { observedGeneration: 3, replicas: 3, upToDateReplicas: 3, version: 'v1' }, true],
  ['with older machines', { observedGeneration: 3, replicas: 3, upToDateReplicas: 2, version: 'v1' }, false],
  [
    'with an older machine’s version',
    { observedGeneration: 3, replicas: 3, upToDateReplicas: 3, version: 'v0' },
    false,
  ],
  ['not seen yet', { observedGeneration: 2, replicas: 3, upToDateReplicas: 3, version: 'v1' }, false],
])('a control plane %s', (_, status, settled) => expect(isSettled(plane('v1', status))).toBe(settled))

describe('the worker group that is first', () => {
  const topology = (...entries: [name: string, annotation?: string][]): JsonObject => ({
    spec: {
      topology: {
        workers: {
          machineDeployments: entries.map(([name, annotation]) => ({
            name,
            ...(annotation ? { metadata: { annotations: { [`topology.cluster.x-k8s.io/${annotation}`]: '' } } } : {}),
          })),
        },
      },
    },
  })
  const groups = [
    { topologyName: 'a', version: 'v2' },
    { topologyName: 'b', version: 'v1' },
    { topologyName: 'c', version: 'v1' },
  ]
  test.each([
    ['in the order of the topology', topology(['c'], ['b'], ['a']), 'c'],
    ['not one that has it', topology(['a'], ['b'], ['c']), 'b'],
    ['not one that is deferred', topology(['b', 'defer-upgrade'], ['c']), 'c'],
    ['none from where the sequence is held', topology(['a'], ['b', 'hold-upgrade-sequence'], ['c']), undefined],
    ['not one that is to be made', topology(['new'], ['b']), 'b'],
    ['none where all have it', topology(['a']), undefined],
  ])('%s', (_, of, first) => expect(nextInOrder(of, groups, 'v2')?.topologyName).toBe(first))
})

describe('blocking hooks', () => {
  const says = (message: string, status = 'False') => [{ type: 'TopologyReconciled', status, message }]
  test.each([
    ['nothing', says('Cluster is upgrading to v1.34.1\n  * KubeadmControlPlane pending upgrade'), []],
    [
      'an annotation',
      says(
        'Cluster is upgrading to v1\n  * Following hooks are blocking upgrade: BeforeClusterUpgrade: annotation a/b is set\n  * More',
      ),
      [{ hook: 'BeforeClusterUpgrade', message: 'annotation a/b is set' }],
    ],
    [
      'several, with their own signs in the words',
      says(
        'x\n  * Following hooks are blocking upgrade: AfterControlPlaneUpgrade: drydock: md-1: wait; please; BeforeWorkersUpgrade',
      ),
      [
        { hook: 'AfterControlPlaneUpgrade', message: 'drydock: md-1: wait; please' },
        { hook: 'BeforeWorkersUpgrade', message: '' },
      ],
    ],
    ['what is over', says('Following hooks are blocking upgrade: BeforeClusterUpgrade: x', 'True'), []],
  ])('%s', (_, conditions, hooks) => expect(blockingHooks(conditions)).toEqual(hooks))
})
