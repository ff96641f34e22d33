import { expect, test } from 'vitest'
import { isAsked } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { changeOf, type ObjectSource } from '.'

const meta = (name: string) => ({
  ...{ name, namespace: 'n', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
})
const V1BETA2 = 'cluster.x-k8s.io/v1beta2'
const V1BETA1 = 'cluster.x-k8s.io/v1beta1'

/** The change from what one MachineSet of three has to what the MachineDeployment wants. */
async function pairsOf(
  had: JsonObject,
  wants: JsonObject,
  apiVersion = V1BETA2,
  more: Partial<ObjectSource> = {},
  held = false,
) {
  const object = (kind: string, name: string, spec: JsonObject) =>
    ({ apiVersion, kind, metadata: meta(name), spec: { replicas: 3, template: { spec } } }) as unknown as KubeObject
  const source: ObjectSource = {
    machineSets: () => Promise.resolve([object('MachineSet', 'ms', had)]),
    machines: () => Promise.resolve([]),
    template: () => Promise.resolve({ metadata: meta('t'), spec: { template: { spec: {} } } } as unknown as KubeObject),
    live: () => Promise.resolve(null),
    letGo: () => Promise.resolve(null),
    forget: () => undefined,
    ...more,
  }
  const group = object('MachineDeployment', 'md', wants)
  if (held) group.metadata.annotations = { [HELD]: 'v1', [PAUSED]: 'drydock' }
  return (await changeOf(group, source)).pairs
}

async function changed(...of: Parameters<typeof pairsOf>) {
  const pairs = await pairsOf(...of)
  return pairs.map(({ pair }) => [pair.from, pair.machines, pair.changes.map((change) => change.path)])
}

const spec = (infrastructureRef: JsonObject, bootstrap: JsonObject = {}): JsonObject => ({
  ...{ clusterName: 'c', version: 'v1.34.0' },
  ...{ infrastructureRef: { kind: 'XMachineTemplate', name: 't', ...infrastructureRef } },
  bootstrap: {
    configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate', name: 'b' },
    ...bootstrap,
  },
})

// Upstream: MachineTemplateUpToDate compares references and bootstrap whole, but for the version of a reference.
test('a template of another API group is another template', async () => {
  const [old, next] = ['infrastructure.cluster.x-k8s.io', 'infrastructure.example.com']
  expect(await changed(spec({ apiGroup: old }), spec({ apiGroup: next }))).toEqual([
    ['ms', 3, ['infrastructureRef.apiGroup']],
  ])
  const inV1beta1 = (group: string, version: string) => spec({ apiVersion: `${group}/${version}` })
  expect(await changed(inV1beta1(old, 'v1beta1'), inV1beta1(next, 'v1beta1'), V1BETA1)).toHaveLength(1)
  expect(await changed(inV1beta1(old, 'v1beta1'), inV1beta1(old, 'v1beta2'), V1BETA1)).toEqual([])
})

test('a bootstrap secret counts beside a template as well', async () => {
  const ref = { apiGroup: 'infrastructure.cluster.x-k8s.io' }
  expect(await changed(spec(ref), spec(ref, { dataSecretName: 'mine' }))).toEqual([
    ['ms', 3, ['bootstrap.dataSecretName']],
  ])
  expect(await changed(spec(ref), spec(ref))).toEqual([])
})

test.each<[string, JsonObject, JsonObject, string]>([
  ['kind', { kind: 'AMachineTemplate' }, { kind: 'BMachineTemplate' }, 'AMachineTemplate → BMachineTemplate'],
  [
    'API group',
    { apiGroup: 'a.example' },
    { apiGroup: 'b.example' },
    'XMachineTemplate.a.example → XMachineTemplate.b.example',
  ],
])(
  'machines of another %s are replaced, whatever updaters say; Cluster API asks all the same',
  async (_, a, b, words) => {
    const group = { apiGroup: 'infrastructure.cluster.x-k8s.io' }
    const [first] = await pairsOf(spec({ ...group, ...a }), { ...spec({ ...group, ...b }), version: 'v1.34.1' })
    expect(first!.pair).toMatchObject({ otherKind: true, certainReplace: expect.stringContaining(words) as string })
    expect(isAsked(first!.pair)).toBe(true)
    expect(first!.question).toBeNull()
  },
)

test('a held group whose template Drydock may not read waits, and it is known why; of others that is an error', async () => {
  const ref = { apiGroup: 'infrastructure.cluster.x-k8s.io' }
  const wanted = { ...spec(ref), version: 'v1.34.1' }
  const template = () =>
    Promise.reject(new KubeError(403, { message: 'x is forbidden', reason: 'Forbidden' } as never, 'get x'))
  const [first] = await pairsOf(spec(ref), wanted, V1BETA2, { template }, true)
  expect(first!.pair).toMatchObject({ machines: 3, unread: expect.stringContaining('x is forbidden') as string })
  expect(first!.pair.changes.map(({ path }) => path)).toEqual(['version'])
  expect(isAsked(first!.pair)).toBe(false)
  await expect(pairsOf(spec(ref), wanted, V1BETA2, { template })).rejects.toThrow('forbidden')
})

test.each([
  ['are there, also where more are wanted and kept from being made', { observedGeneration: 4, replicas: 8 }, 8],
  ['are there, also where fewer are wanted', { observedGeneration: 4, replicas: 12 }, 12],
  ['are wanted, where its manager has not looked since', { observedGeneration: 3, replicas: 8 }, 10],
  ['are wanted, as long as there is none', { observedGeneration: 4, replicas: 0 }, 10],
  ['are wanted, where nothing is said', {}, 10],
])('of an old revision those machines count that %s', async (_, status, machines) => {
  const ref = { apiGroup: 'infrastructure.cluster.x-k8s.io' }
  const set = {
    ...{ apiVersion: V1BETA2, kind: 'MachineSet', metadata: { ...meta('ms'), generation: 4 } },
    ...{ spec: { replicas: 10, template: { spec: spec(ref) } }, status },
  } as unknown as KubeObject
  const more = { machineSets: () => Promise.resolve([set]) }
  expect(await changed(spec(ref), { ...spec(ref), version: 'v1.34.1' }, V1BETA2, more)).toEqual([
    ['ms', machines, ['version']],
  ])
})

test.each([
  ['bootstrap', 'KubeadmConfigTemplate'],
  ['bootstrap', 'RKE2ConfigTemplate'],
  ['infrastructure', 'Metal3MachineTemplate'],
])('a shared %s template (%s) that is edited beside what differs is another whole', async (what, kind) => {
  const of = (version: string): JsonObject => ({
    ...{ clusterName: 'c', version },
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Metal3MachineTemplate', name: 'i' },
    bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind, name: 'b' } },
  })
  const look = async (edited: boolean) => {
    const [first] = await pairsOf(of('v1'), of('v2'), V1BETA2, {
      template: (ref) =>
        Promise.resolve({
          ...{ apiVersion: 'x/v1beta2', kind: ref.kind, metadata: meta(ref.name) },
          spec: { template: { spec: edited && (what === 'bootstrap') === (ref.name === 'b') ? { evil: true } : {} } },
        } as unknown as KubeObject),
    })
    const { pair, config, templates } = first!
    return { fingerprint: pair.fingerprint, whole: { config, templates } }
  }
  const [shown, now] = [await look(false), await look(true)]
  expect(now.fingerprint).toBe(shown.fingerprint)
  expect(now.whole).not.toEqual(shown.whole)
})
