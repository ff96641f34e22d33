import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { topologyPlan } from '.'
import { reaches } from './patches'

const metadata = { name: 'c', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '' }
const cluster = (topology: JsonObject): KubeObject => ({
  ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata },
  spec: { topology },
})
const classWith = (...patches: JsonObject[]): KubeObject => ({
  ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', metadata: { ...metadata, name: 'k' } },
  spec: { patches },
})
const plain = classWith()
const base = {
  classRef: { name: 'k' },
  version: 'v1.34.0',
  controlPlane: { replicas: 3 },
  workers: {
    machineDeployments: [
      { name: 'a', class: 'big', replicas: 2 },
      { name: 'b', class: 'small', replicas: 2 },
    ],
  },
}
const a: JsonObject = base.workers.machineDeployments[0]!
const b: JsonObject = base.workers.machineDeployments[1]!
const workers = (...machineDeployments: JsonObject[]) => ({ workers: { machineDeployments } })
const plan = (after: JsonObject, klass: KubeObject | null = plain, before: JsonObject = base) =>
  topologyPlan(cluster(before), cluster({ ...base, ...after }), klass)
const patchOf = (result: ReturnType<typeof plan>): Record<string, JsonObject | null> => ({
  controlPlane: result.controlPlane.patch,
  ...Object.fromEntries([...result.deployments].map(([name, group]) => [name, group.patch])),
})
const unknownOf = (result: ReturnType<typeof plan>) => [
  ...(result.controlPlane.undetermined.length > 0 ? ['controlPlane'] : []),
  ...[...result.deployments].filter(([, group]) => group.undetermined.length > 0).map(([name]) => name),
]
const reading = (variable: string, matchResources: JsonObject): JsonObject => ({
  name: 'p',
  definitions: [{ selector: { matchResources }, jsonPatches: [{ op: 'add', path: '/x', valueFrom: { variable } }] }],
})

describe('what a topology writes to its groups', () => {
  test('nothing where nothing changes', () => {
    expect(patchOf(plan({}))).toEqual({ controlPlane: null, a: null, b: null })
  })

  test('a version, replicas, failure domain and rollout', () => {
    expect(patchOf(plan({ version: 'v1.34.1' }))).toEqual({
      controlPlane: { version: 'v1.34.1' },
      a: { template: { spec: { version: 'v1.34.1' } } },
      b: { template: { spec: { version: 'v1.34.1' } } },
    })
    const more = { ...a, failureDomain: 'z', rollout: { after: 't' } }
    expect(patchOf(plan({ version: 'v1.34.1', controlPlane: { replicas: 5 }, ...workers(more, b) }))).toMatchObject({
      controlPlane: { version: 'v1.34.1', replicas: 5 },
      a: { template: { spec: { version: 'v1.34.1', failureDomain: 'z' } }, rollout: { after: 't' } },
    })
    const after = { ...base, ...workers({ ...a, rollout: { after: 't', strategy: { type: 'OnDelete' } } }, b) }
    expect(patchOf(plan(workers({ ...a, rollout: { after: 't' } }, b), plain, after)).a).toEqual({
      rollout: { strategy: null, after: 't' },
    })
  })

  test('what is written through without a rollout is no change of machines', () => {
    const quiet = { ...a, metadata: { labels: { x: 'y' } }, deletion: { nodeDrainTimeoutSeconds: 5 } }
    const result = plan(workers(quiet, b))
    expect(patchOf(result).a).toBeNull()
    expect(unknownOf(result)).toEqual([])
  })

  test('deferred upgrades, and a held sequence with all after it', () => {
    const noted = (key: string) => ({ metadata: { annotations: { [`topology.cluster.x-k8s.io/${key}`]: '' } } })
    const deferred = plan({ version: 'v1.34.1', ...workers({ ...a, ...noted('defer-upgrade') }, b) })
    expect(patchOf(deferred)).toMatchObject({ a: null, b: { template: { spec: { version: 'v1.34.1' } } } })
    const held = plan({ version: 'v1.34.1', ...workers({ ...a, ...noted('hold-upgrade-sequence') }, b) })
    expect(patchOf(held)).toMatchObject({ a: null, b: null, controlPlane: { version: 'v1.34.1' } })
  })

  test('an upgrade that was put off and is not any more begins, of all that it kept back', () => {
    const noted = (key: string) => ({ metadata: { annotations: { [`topology.cluster.x-k8s.io/${key}`]: '' } } })
    const version = { template: { spec: { version: 'v1.34.0' } } }
    for (const key of ['defer-upgrade', 'hold-upgrade-sequence']) {
      const before = { ...base, ...workers({ ...a, ...noted(key) }, b) }
      expect(patchOf(plan({}, plain, before))).toMatchObject({ a: version, b: version })
    }
    const held = { ...base, ...workers({ ...a, ...noted('hold-upgrade-sequence') }, b) }
    expect(patchOf(plan(held, plain, held))).toEqual({ controlPlane: null, a: null, b: null })
  })

  test('pools that a version or a variable may reach are named', () => {
    const pools = { ...base, workers: { ...base.workers, machinePools: [{ name: 'p' }] } }
    expect(plan(pools, plain, pools).undetermined).toEqual([])
    const changed: JsonObject[] = [{ version: 'v1.34.1' }, { variables: [{ name: 'x', value: 1 }] }]
    for (const more of changed)
      expect(plan({ ...pools, ...more }, plain, pools).undetermined).toEqual([expect.stringContaining('Machine pools')])
    expect(plan({ version: 'v1.34.1' }).undetermined).toEqual([])
  })

  test.each([
    ['{{ .builtin.controlPlane.version }}', true],
    ['{{ with .builtin.controlPlane }}{{ .version }}{{ end }}', true],
    ['{{ $b := .builtin }}{{ $b.machineDeployment.version }}', true],
    ['{{ index .builtin.cluster.topology "version" }}', true],
    ['builtin', true],
    ['builtin.controlPlane', true],
    ['builtin.cluster.topology', true],
    ['builtin.cluster.topology.version', true],
    ['builtin.cluster.name', false],
    ['{{ .builtin.cluster.name }} version', true],
    ['{{ .image }}', false],
    ['imageVersion', false],
  ])('whether %s reads the version: %s', (variable, reads) => {
    const klass = classWith(reading(variable, { controlPlane: true }))
    expect(unknownOf(plan({ version: 'v1.34.1' }, klass))).toEqual(reads ? ['controlPlane'] : [])
  })

  test('added and removed deployments', () => {
    const result = plan(workers(a, { name: 'c', class: 'big', replicas: 4 }))
    expect(result.added).toEqual([{ name: 'c', replicas: 4 }])
    expect(result.removed).toEqual(['b'])
  })
})

describe('what only Cluster API can compute is unknown, for those whom it reaches', () => {
  const variables = { variables: [{ name: 'zone', value: 'b' }] }
  test('a variable that a patch reads', () => {
    expect(unknownOf(plan(variables))).toEqual([])
    expect(unknownOf(plan(variables, classWith(reading('zone', { controlPlane: true }))))).toEqual(['controlPlane'])
    const big = { machineDeploymentClass: { names: ['big'] } }
    expect(unknownOf(plan(variables, classWith(reading('zone.name', big))))).toEqual(['a'])
    expect(unknownOf(plan(variables, classWith(reading('zones', big))))).toEqual([])
    expect(unknownOf(plan(variables, classWith(reading('zone', { infrastructureCluster: true }))))).toEqual([])
  })

  test('an override reaches its own group only', () => {
    const own = { ...b, variables: { overrides: [{ name: 'zone', value: 'b' }] } }
    const all = classWith(reading('zone', { controlPlane: true, machineDeploymentClass: { names: ['*'] } }))
    expect(unknownOf(plan(workers(a, own), all))).toEqual(['b'])
  })

  test('a version that a patch reads, an extension, and a condition', () => {
    const to = { version: 'v1.34.1' }
    const templated: JsonObject = {
      name: 'image',
      definitions: [
        {
          selector: { matchResources: { machineDeploymentClass: { names: ['small'] } } },
          jsonPatches: [{ op: 'add', path: '/x', valueFrom: { template: '{{ .builtin.machineDeployment.version }}' } }],
        },
      ],
    }
    expect(unknownOf(plan(to, classWith(templated)))).toEqual(['b'])
    expect(unknownOf(plan(to, classWith({ name: 'e', external: { generatePatchesExtension: 'x' } })))).toEqual([
      ...['controlPlane', 'a', 'b'],
    ])
    const conditional = {
      ...reading('other', { controlPlane: true }),
      enabledIf: '{{ eq .builtin.cluster.topology.version "x" }}',
    }
    expect(unknownOf(plan(to, classWith(conditional)))).toEqual(['controlPlane'])
    expect(unknownOf(plan(to, classWith(reading('zone', { controlPlane: true }))))).toEqual([])
  })

  test('a class that cannot be read, another class, several minor versions, and pools', () => {
    expect(unknownOf(plan({ version: 'v1.34.1' }, null))).toEqual(['controlPlane', 'a', 'b'])
    expect(unknownOf(plan({ classRef: { name: 'other' } }))).toEqual(['controlPlane', 'a', 'b'])
    expect(unknownOf(plan({ version: 'v1.36.0' }))).toEqual(['controlPlane', 'a', 'b'])
    expect(unknownOf(plan(workers({ ...a, class: 'small' }, b)))).toEqual(['a'])
    expect(plan({ workers: { ...base.workers, machinePools: [{ name: 'p' }] } }).undetermined).toHaveLength(1)
  })
})

test.each([
  ['*', 'x', true],
  ['wo*', 'workers', true],
  ['*ers', 'workers', true],
  ['workers', 'workers', true],
  ['w.rkers*', 'workers', false],
  ['work', 'workers', false],
])('class %s reaches %s: %s', (pattern, name, is) => {
  expect(reaches({ controlPlane: false, classes: [pattern] }, name)).toBe(is)
})
