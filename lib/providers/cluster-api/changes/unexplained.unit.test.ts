import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { KubeError, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { changeOf, clientSource } from './index'
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

test('with such a rule goes what its machines are made by then, so that an edit of it is seen', async () => {
  const infrastructureRef = { apiGroup: 'infra.x', kind: 'BoxTemplate', name: 'box' }
  const group = kcp(ROLLED, 30)
  const wanted = { ...group, spec: { ...group.spec, machineTemplate: { spec: { infrastructureRef } } } }
  const read = (template: ObjectSource['template']) => changeOf(wanted, after(kcp(null, null), { template }))
  const sized = (size: string) =>
    read(({ name }) =>
      Promise.resolve({
        ...{ apiVersion: 'infra.x/v1', kind: 'BoxTemplate', metadata: metadata(name) },
        spec: { template: { spec: { size } } },
      }),
    )
  const [one, two] = [await sized('one'), await sized('two')]
  expect(one.pairs.map(({ templates }) => templates)).toEqual(Array(2).fill({ infrastructure: { size: 'one' } }))
  expect(two.pairs[0]!.templates).not.toEqual(one.pairs[0]!.templates)
  expect(two.fingerprint).toBe(one.fingerprint)
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

describe('without machines, what stands in templates is for showing only', () => {
  const ref = (name: string, version?: string) => ({
    ...{ kind: 'BoxTemplate', name },
    ...(version ? { apiVersion: `infra.x/${version}` } : { apiGroup: 'infra.x' }),
  })
  const template = (name: string): KubeObject => ({
    ...{ apiVersion: 'infra.x/v1', kind: 'BoxTemplate', metadata: metadata(name) },
    spec: { template: { spec: { size: name } } },
  })
  const wanting = (replicas = 0) => {
    const group = deployment(true, 'v1.34.1', { infrastructureRef: ref('new') })
    return { ...group, spec: { ...group.spec, replicas } }
  }
  const set = (name: string, infrastructureRef: JsonObject): KubeObject => ({
    ...machineSet(name, 'v1.33.0'),
    metadata: { ...metadata(name), ownerReferences: [{ apiVersion: '', kind: '', name: 'md', uid: 'uid-md' }] },
    spec: { replicas: 0, template: { spec: { version: 'v1.33.0', infrastructureRef } } },
  })
  const read = (more: Partial<ObjectSource>, replicas = 0) =>
    changeOf(wanting(replicas), {
      ...{ ...source, machineSets: () => Promise.resolve([set('md-1', ref('old'))]) },
      ...{ template: (at: { name: string }) => Promise.resolve(template(at.name)), ...more },
    })

  test('it is the same change in whatever order, without the old template, and while it may not be read', async () => {
    const known = await read({})
    expect(known.pairs[0]!.pair.changes).toContainEqual({
      ...{ object: 'infrastructure', path: 'size', current: 'old', desired: 'new' },
    })
    const two = [set('md-1', ref('old')), set('md-2', ref('other'))]
    const forbidden = () => Promise.reject(new KubeError(403, { kind: 'Status', code: 403, message: 'no' }, 'GET'))
    for (const more of [
      { machineSets: () => Promise.resolve(two) },
      { machineSets: () => Promise.resolve(two.toReversed()) },
      { template: ({ name }: { name: string }) => Promise.resolve(name === 'old' ? null : template(name)) },
      { template: forbidden },
      { template: forbidden, strict: true as const },
    ])
      expect((await read(more)).fingerprint).toBe(known.fingerprint)
  })

  test('what is not there makes no machine: blocked as soon as some are wanted', async () => {
    const gone = { template: ({ name }: { name: string }) => Promise.resolve(name === 'new' ? null : template(name)) }
    expect((await read(gone, 3)).pairs[0]!.pair.missing).toBe('new')
    expect((await read(gone)).pairs[0]!.pair.missing).toBeUndefined()
  })

  test('a version that is not served any more is not there; what fails once is asked again', async () => {
    let failing = true
    const raw = (path: string) => {
      if (path.includes('v1alpha4') || failing) {
        const code = failing ? 503 : 404
        failing = false
        return Promise.reject(new KubeError(code, { kind: 'Status', code, message: 'no' }, 'GET'))
      }
      const versions = { preferredVersion: { version: 'v1' }, versions: [{ version: 'v1' }] }
      return Promise.resolve({ ...versions, resources: [{ kind: 'BoxTemplate', name: 'boxtemplates' }] })
    }
    const client = {
      raw,
      list: () => Promise.resolve({ items: [set('md-1', ref('old', 'v1alpha4'))] }),
      get: (_: unknown, name: string) => Promise.resolve(template(name)),
    } as unknown as KubeClient
    const from = clientSource({ client, resources: {}, letGo: source.letGo })
    await expect(changeOf(wanting(), from)).rejects.toThrow()
    expect((await changeOf(wanting(), from)).pairs).toHaveLength(1)
  })
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
