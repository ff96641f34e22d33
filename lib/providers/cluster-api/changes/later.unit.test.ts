import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { changeOf } from './index'
import type { ObjectSource } from './types'

const metadata = (name: string, annotations: Record<string, string> = {}) => ({
  ...{ name, namespace: 'fleet', uid: `uid-${name}`, resourceVersion: '1', generation: 2, annotations },
  creationTimestamp: '2026-11-20T00:00:00Z',
})
const kcp = (held: string | null, days: number | null): KubeObject => ({
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: metadata('cp', held === null ? {} : { 'cluster.x-k8s.io/paused': 'drydock', 'drydock.dev/held': held }),
  spec: {
    replicas: 2,
    version: 'v1.34.1',
    ...(days === null ? {} : { rollout: { before: { certificatesExpiryDays: days } } }),
  },
})
const machine = (name: string): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: metadata(name),
  spec: { version: 'v1.34.1' },
  status: { certificatesExpiryDate: '2099-01-01T00:00:00Z' },
})
const source: ObjectSource = {
  machineSets: () => Promise.resolve([]),
  machines: () => Promise.resolve([machine('cp-b'), machine('cp-a')]),
  template: () => Promise.resolve(null),
  live: () => Promise.resolve(null),
  forget: () => undefined,
}
const ROLLED = "Waiting for approval in Drydock: the KubeadmControlPlane's machines would be rolled out"

test('a rule that replaces machines later is held until somebody decides, though nothing is outdated yet', async () => {
  const change = await changeOf(kcp(ROLLED, 30), source)
  expect(change.pairs.map(({ pair }) => pair.from)).toEqual(['cp-a', 'cp-b'])
  expect(change.pairs[0]).toMatchObject({
    question: null,
    pair: {
      changes: [{ path: 'rollout.before.certificatesExpiryDays', desired: 30 }],
      certainReplace: 'Cluster API will replace each machine 30 days before its certificates expire.',
    },
  })
  expect(change.fingerprint).not.toBe('')
  expect((await changeOf(kcp(ROLLED, 60), source)).fingerprint).not.toBe(change.fingerprint)
})

test.each<[string, string | null, number | null]>([
  ['let go', null, 30],
  ['held for a version that was changed back', 'Waiting for approval in Drydock: version v1.34.2 to v1.34.1', 30],
  ['without such a rule', ROLLED, null],
])('nothing waits when it is %s', async (_, held, days) => {
  expect((await changeOf(kcp(held, days), source)).pairs).toEqual([])
})

const deployment = (held: boolean, version: string): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: metadata('md', held ? { 'cluster.x-k8s.io/paused': 'drydock', 'drydock.dev/held': 'x' } : {}),
  spec: { replicas: 0, template: { spec: { version } } },
})
const machineSet = (name: string, version: string, day: number): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineSet',
  metadata: { ...metadata(name), creationTimestamp: `2026-11-0${day}T00:00:00Z` },
  spec: { replicas: 0, template: { spec: { version } } },
})
const empty: ObjectSource = {
  ...source,
  machineSets: () => Promise.resolve([machineSet('md-1', 'v1.33.0', 1), machineSet('md-2', 'v1.34.0', 2)]),
}

test('held without machines, it waits all the same: what it creates next is what nobody approved', async () => {
  const { pairs } = await changeOf(deployment(true, 'v1.34.1'), empty)
  expect(pairs.map(({ pair }) => [pair.from, pair.machines])).toEqual([['md-2', 0]])
  expect((await changeOf(deployment(true, 'v1.34.0'), empty)).pairs).toEqual([])
  expect((await changeOf(deployment(false, 'v1.34.1'), empty)).pairs).toEqual([])
})
