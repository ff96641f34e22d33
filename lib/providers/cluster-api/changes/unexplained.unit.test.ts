import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { rolloutDigest } from '@/lib/domain/latch/digest'
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
  letGo: () => Promise.resolve(null),
  forget: () => undefined,
}
const ROLLED = "Waiting for approval in Drydock: the KubeadmControlPlane's machines would be rolled out"
/** As it is when the group was last let go with this. */
const after = (group: KubeObject, more: Partial<ObjectSource> = {}): ObjectSource => ({
  ...{ ...source, ...more },
  letGo: () => Promise.resolve(rolloutDigest(group)),
})

test('a rule that replaces machines later is held until somebody decides, though nothing is outdated yet', async () => {
  const change = await changeOf(kcp(ROLLED, 30), after(kcp(null, null)))
  expect(change.pairs.map(({ pair }) => pair.from)).toEqual(['cp-a', 'cp-b'])
  expect(change.pairs[0]).toMatchObject({
    question: null,
    pair: {
      changes: [{ path: 'rollout.before.certificatesExpiryDays', desired: 30 }],
      certainReplace: 'Cluster API will replace each machine 30 days before its certificates expire.',
    },
  })
  expect(change.fingerprint).not.toBe('')
  expect((await changeOf(kcp(ROLLED, 60), after(kcp(null, null)))).fingerprint).not.toBe(change.fingerprint)
})

test.each(['rejected by Ada: wait for version 1.35 to land', 'Waiting for approval in Drydock: version v2 to v1', ''])(
  'whatever the hold says (%j), a rule that nobody let go of waits',
  async (words) => {
    expect((await changeOf(kcp(words, 30), after(kcp(null, null)))).pairs).toHaveLength(2)
    expect((await changeOf(kcp(words, 30), source)).pairs).toHaveLength(2)
  },
)

test('nothing waits where it is not held, or wants again exactly what it was let go with', async () => {
  expect((await changeOf(kcp(null, 30), source)).pairs).toEqual([])
  expect((await changeOf(kcp(ROLLED, 30), after(kcp(null, 30)))).pairs).toEqual([])
  expect((await changeOf(kcp(ROLLED, null), after(kcp(null, null)))).pairs).toEqual([])
})

test('where nothing differs that Drydock compares, it waits all the same', async () => {
  const gone = { machines: () => Promise.resolve([]) }
  for (const [group, from] of [
    [kcp(ROLLED, null), after(kcp(null, 30))],
    [kcp(ROLLED, null), source],
    [kcp(ROLLED, 30), after(kcp(null, null), gone)],
  ] as const) {
    const { pairs } = await changeOf(group, from)
    expect(pairs.map(({ pair }) => [pair.from, pair.machines, pair.changes])).toEqual([['cp', 0, []]])
  }
})

const deployment = (held: boolean, version: string, more: JsonObject = {}): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: metadata('md', held ? { 'cluster.x-k8s.io/paused': 'drydock', 'drydock.dev/held': 'x' } : {}),
  spec: { replicas: 0, template: { spec: { version, ...more } } },
})
const machineSet = (name: string, version: string): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineSet',
  metadata: metadata(name),
  spec: { replicas: 0, template: { spec: { version } } },
})
const versions = (from: string, to: string) => [{ object: 'machine', path: 'version', current: from, desired: to }]

test('without machines, what the next one would be made with is said: against what the newest of them was', async () => {
  const old = {
    ...machineSet('md-0', 'v1.32.0'),
    metadata: { ...metadata('md-0'), creationTimestamp: '2026-01-01T00:00:00Z' },
  }
  const from = { machineSets: () => Promise.resolve([machineSet('md-1', 'v1.33.0'), old]) }
  const { pairs } = await changeOf(deployment(true, 'v1.34.1'), after(deployment(false, 'v1.33.0'), from))
  expect(pairs.map(({ pair }) => [pair.from, pair.machines])).toEqual([['md', 0]])
  expect(pairs[0]!.pair.changes).toMatchObject(versions('v1.33.0', 'v1.34.1'))
  expect(pairs[0]!.pair.certainReplace).toMatch(/^The group has no machines/)
  const known = await changeOf(
    deployment(true, 'v1.33.0', { somethingNew: 1 }),
    after(deployment(false, 'v1.33.0'), from),
  )
  expect(known.pairs[0]!.pair.changes).toEqual([])
})

const sets = { machineSets: () => Promise.resolve([machineSet('md-1', 'v1.33.0'), machineSet('md-2', 'v1.34.0')]) }

test.each([
  ['a new version', deployment(true, 'v1.34.1')],
  ['the version of an older machine set', deployment(true, 'v1.33.0')],
  ['a field that Drydock does not know', deployment(true, 'v1.34.0', { somethingNew: 1 })],
])('without machines, %s waits: what is created next is what nobody approved', async (_, group) => {
  const from = after(deployment(false, 'v1.34.0'), sets)
  expect((await changeOf(group, from)).pairs).toHaveLength(1)
  const back = { ...group, spec: deployment(true, 'v1.34.0').spec }
  expect((await changeOf(back, from)).pairs).toEqual([])
})
