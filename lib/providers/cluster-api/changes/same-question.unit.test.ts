import { describe, expect, test } from 'vitest'
import { askedBetween, fingerprint, revisionOf, upstreamEqual, type Question } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { changeOf } from '.'
import type { ObjectSource } from './types'

/** What the planner finds in the live objects is what the gate will find in Cluster API's question: else nobody is let go. */

const NS = 'fleet'
const GROUPS = { Infra: 'infrastructure.cluster.x-k8s.io', Kubeadm: 'bootstrap.cluster.x-k8s.io' }
const ref = (kind: string, name: string) => ({
  ...{ apiGroup: kind.startsWith('Kubeadm') ? GROUPS.Kubeadm : GROUPS.Infra, kind, name },
})
const object = (
  kind: string,
  name: string,
  spec: JsonObject,
  more: Partial<KubeObject['metadata']> = {},
): KubeObject => ({
  ...{ apiVersion: `${kind.startsWith('Kubeadm') ? GROUPS.Kubeadm : GROUPS.Infra}/v1beta2`, kind, spec },
  metadata: {
    name,
    namespace: NS,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2026-11-01T00:00:00Z',
    ...more,
  },
})
const template = (kind: string, name: string, spec: JsonObject) => object(kind, name, { template: { spec } })

function sourceOf(
  objects: KubeObject[],
  { sets = [], machines = [] }: Partial<Record<string, KubeObject[]>>,
): ObjectSource {
  const find = async (wanted: { name: string }) => objects.find(({ metadata }) => metadata.name === wanted.name) ?? null
  return {
    ...{ machineSets: async () => sets, machines: async () => machines },
    ...{ template: find, live: find, letGo: async () => null },
  } as unknown as ObjectSource
}

const asked = (hook: Question, request: JsonObject, owner: Parameters<typeof fingerprint>[0]) => {
  const [current, desired] = [request.current, request.desired].map((side) => revisionOf(hook, side as JsonObject))
  return fingerprint(owner, askedBetween(current!, desired!))
}

describe('workers', () => {
  const NODES = { clusterName: 'c', version: 'v1.34.0', infrastructureRef: ref('InfraTemplate', 'i1') }
  const withConfig = (name: string) => ({ ...NODES, bootstrap: { configRef: ref('KubeadmConfigTemplate', name) } })
  const set = { ...object('MachineSet', 'ms1', { replicas: 3, template: { spec: withConfig('b1') } }), status: {} }
  const deployment = (spec: JsonObject, more: JsonObject = {}): KubeObject =>
    object('MachineDeployment', 'md', { replicas: 3, clusterName: 'c', template: { spec }, ...more })
  const plan = async (had: JsonObject, wanted: JsonObject, more: JsonObject = {}) => {
    const templates = [
      template('InfraTemplate', 'i1', { a: 1 }),
      ...[template('KubeadmConfigTemplate', 'b1', had), template('KubeadmConfigTemplate', 'b2', wanted)],
    ]
    const change = await changeOf(deployment(withConfig('b2'), more), sourceOf(templates, { sets: [set] }))
    return { change, compared: change.pairs[0]! }
  }
  const join = (more: JsonObject): JsonObject => ({ joinConfiguration: { nodeRegistration: {}, ...more } })

  test.each<[string, JsonObject, JsonObject, string]>([
    [
      'where to join',
      join({}),
      join({ discovery: { bootstrapToken: { apiServerEndpoint: 'other:6443', unsafeSkipCAVerification: true } } }),
      'joinConfiguration.discovery',
    ],
    ['no taints', join({}), join({ nodeRegistration: { taints: [] } }), 'joinConfiguration.nodeRegistration.taints'],
    [
      'time-outs',
      join({ timeouts: { controlPlaneComponentHealthCheckSeconds: 1 } }),
      join({ timeouts: { controlPlaneComponentHealthCheckSeconds: 2 } }),
      'joinConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds',
    ],
    ['an init form', { initConfiguration: { a: 1 } }, { initConfiguration: { a: 2 } }, 'initConfiguration.a'],
    ['of another provider: an empty field', { k3s: 1 }, { k3s: 1, agent: {} }, 'agent'],
  ])('%s differs, is seen, and has a fingerprint of its own', async (_, had, wanted, path) => {
    const { change, compared } = await plan(had, wanted)
    expect(compared.pair.changes).toContainEqual(expect.objectContaining({ object: 'bootstrap', path }))
    const { hook, request } = compared.question!
    const { current, desired } = request as { current: JsonObject; desired: JsonObject }
    expect(upstreamEqual(hook, current, desired)).toBe(false)
    expect(asked(hook, request, change.owner)).toBe(compared.pair.fingerprint)
    const other = await plan(had, had)
    expect(other.compared.pair.fingerprint).not.toBe(compared.pair.fingerprint)
  })

  test('let go with a date ahead, its new machines are no old ones before it comes', async () => {
    const after = { rollout: { after: '2999-01-01T00:00:00Z' } }
    const [had, wanted] = [join({}), join({ skipPhases: ['addon'] })]
    const templates = [
      template('InfraTemplate', 'i1', { a: 1 }),
      ...[template('KubeadmConfigTemplate', 'b1', had), template('KubeadmConfigTemplate', 'b2', wanted)],
    ]
    const made = { ...set, metadata: { ...set.metadata, name: 'ms2', uid: 'ms2' } }
    made.spec = { replicas: 1, template: { spec: withConfig('b2') } }
    const pairs = async (annotations: Record<string, string>) => {
      const group = deployment(withConfig('b2'), after)
      const { pairs: found } = await changeOf(
        { ...group, metadata: { ...group.metadata, annotations } },
        sourceOf(templates, { sets: [set, made] }),
      )
      return found.map(({ pair }) => [pair.from, pair.later])
    }
    expect(await pairs({})).toEqual([['ms1', true]])
    const held = { 'drydock.dev/held': 'x', 'cluster.x-k8s.io/paused': 'drydock' }
    expect(await pairs(held)).toEqual([
      ['ms1', true],
      ['ms2', true],
    ])
  })

  test('a date of rollout.after that lies ahead is a word about then; the question is about the content', async () => {
    const [had, wanted] = [join({}), join({ skipPhases: ['addon'] })]
    const without = await plan(had, wanted)
    const { compared } = await plan(had, wanted, { rollout: { after: '2999-01-01T00:00:00Z' } })
    expect(compared.pair.certainReplace).toMatch(/when that comes, Cluster API replaces whatever is older/)
    expect(compared.pair.fingerprint).toBe(without.compared.pair.fingerprint)
    expect(compared.pair.changes.map(({ path }) => path)).toContain('rollout.after')
  })
})

describe('control planes', () => {
  const kubelet = { nodeRegistration: { kubeletExtraArgs: [{ name: 'v', value: '4' }] } }
  const controlPlane = (kubeadmConfigSpec: JsonObject, version = 'v1.34.0'): KubeObject => ({
    ...object('KubeadmControlPlane', 'cp', {
      ...{ replicas: 1, version, kubeadmConfigSpec },
      machineTemplate: { spec: { infrastructureRef: ref('InfraTemplate', 'i1') } },
    }),
    apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  })
  const plan = async (config: JsonObject, wanted: JsonObject, version?: string, infra?: JsonObject) => {
    const machine = object('Machine', 'm1', {
      ...{ clusterName: 'c', version: 'v1.34.0', infrastructureRef: ref('InfraMachine', 'im') },
      bootstrap: { configRef: ref('KubeadmConfig', 'kc') },
    })
    const cloned = {
      'cluster.x-k8s.io/cloned-from-name': 'i1',
      'cluster.x-k8s.io/cloned-from-groupkind': `InfraTemplate.${GROUPS.Infra}`,
    }
    const objects = [
      template('InfraTemplate', 'i1', { a: 1 }),
      object('InfraMachine', 'im', { a: 1 }, { annotations: cloned }),
      object('KubeadmConfig', 'kc', config),
      ...(infra ? [template('InfraTemplate', 'i2', infra)] : []),
    ]
    const group = controlPlane(wanted, version)
    if (infra) Object.assign(group.spec!.machineTemplate!, { spec: { infrastructureRef: ref('InfraTemplate', 'i2') } })
    return changeOf(group, sourceOf(objects, { machines: [machine] }))
  }
  // As the control plane's controller writes them for Kubernetes 1.34.
  const gated: JsonObject = { clusterConfiguration: { featureGates: { ControlPlaneKubeletLocalMode: true } } }
  const paths = (change: Awaited<ReturnType<typeof plan>>) =>
    change.pairs.flatMap((p) => p.pair.changes.map((c) => c.path))

  test.each<[string, JsonObject, JsonObject]>([
    ['joined, nothing said', { ...gated, joinConfiguration: { controlPlane: {} } }, {}],
    [
      'joined as wanted',
      { ...gated, joinConfiguration: { controlPlane: {}, ...kubelet } },
      { joinConfiguration: kubelet },
    ],
    ['the first, where nothing is said of either', gated, { joinConfiguration: {} }],
    [
      'the first, with time-outs that conversion put beside it',
      {
        ...gated,
        initConfiguration: kubelet,
        joinConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 240 } },
      },
      {
        ...{ initConfiguration: kubelet },
        joinConfiguration: { ...kubelet, timeouts: { controlPlaneComponentHealthCheckSeconds: 240 } },
      },
    ],
    [
      'the first, configured otherwise than those that join',
      { ...gated, initConfiguration: kubelet },
      { initConfiguration: kubelet, joinConfiguration: { skipPhases: ['a'] } },
    ],
    ['the first, and a path of the CA', gated, { joinConfiguration: { caCertPath: '/x' } }],
    [
      'the first, with bootstrap tokens, which do not count',
      { ...gated, initConfiguration: { ...kubelet, bootstrapTokens: [{ description: 'a' }] } },
      { initConfiguration: kubelet, joinConfiguration: kubelet },
    ],
  ])('nothing is outdated: %s', async (_, config, wanted) => expect((await plan(config, wanted)).pairs).toEqual([]))

  test.each<[string, JsonObject, JsonObject, string | undefined, readonly string[]]>([
    [
      'no taints, where the default ones were',
      { ...gated, joinConfiguration: { controlPlane: {}, ...kubelet } },
      { joinConfiguration: { nodeRegistration: { ...kubelet.nodeRegistration, taints: [] } } },
      ...([undefined, ['joinConfiguration.nodeRegistration.taints']] as const),
    ],
    [
      'to 1.36, which has no local mode to switch on',
      { ...gated, joinConfiguration: { controlPlane: {}, ...kubelet } },
      { joinConfiguration: kubelet },
      ...(['v1.36.0', ['version', 'clusterConfiguration']] as const),
    ],
    [
      'the first, another version, with what conversion left',
      {
        ...gated,
        initConfiguration: kubelet,
        joinConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 240 } },
      },
      {
        initConfiguration: kubelet,
        joinConfiguration: { ...kubelet, timeouts: { controlPlaneComponentHealthCheckSeconds: 240 } },
      },
      ...(['v1.34.1', ['version']] as const),
    ],
  ])('%s', async (_, config, wanted, version, expected) => {
    const change = await plan(config, wanted, version)
    expect(paths(change)).toEqual(expected)
    const [compared] = change.pairs
    const { hook, request } = compared!.question!
    expect(asked(hook, request, change.owner)).toBe(compared!.pair.fingerprint)
  })

  test('what is empty in a template, and absent in the live machine, is shown and does not count', async () => {
    const config = { ...gated, joinConfiguration: { controlPlane: {} } }
    const change = await plan(config, {}, undefined, { a: 2, tags: {} })
    expect(paths(change)).toEqual(['a', 'tags', 'infrastructureRef.name'])
    const { pair, question } = change.pairs[0]!
    const { hook, request } = question!
    const desired = structuredClone(request.desired) as { infrastructureMachine: { spec: JsonObject } }
    delete desired.infrastructureMachine.spec.tags
    expect(asked(hook, { ...request, desired: desired as unknown as JsonObject }, change.owner)).toBe(pair.fingerprint)
  })

  test('another template with the same content, the first configured otherwise than those that join', async () => {
    const change = await plan(
      { ...gated, initConfiguration: kubelet },
      { initConfiguration: kubelet, joinConfiguration: { skipPhases: ['a'] } },
      undefined,
      { a: 1 },
    )
    const { pair, question } = change.pairs[0]!
    const { hook, request } = question!
    expect(asked(hook, request, change.owner)).toBe(pair.fingerprint)
  })
})
