import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { alwaysOfControlPlane, alwaysOfDeployment } from './always'

const object = (kind: string, spec: JsonObject, metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind, spec },
  metadata: { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1', creationTimestamp: '', ...metadata },
})
const template = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({ template: { spec, metadata } })

test.each<[string, JsonObject, JsonObject, object[]]>([
  ['nothing', template({}), template({}), []],
  ['what is compared is not among it', template({ version: 'v1' }), template({ version: 'v2' }), []],
  [
    'labels and annotations',
    template({}, { labels: { a: '1', gone: 'x' } }),
    template({}, { labels: { a: '2' }, annotations: { 'example.org/b': '3' } }),
    [
      { path: 'metadata.annotations["example.org/b"]', desired: '3' },
      { path: 'metadata.labels.a', current: '1', desired: '2' },
      { path: 'metadata.labels.gone', current: 'x' },
    ],
  ],
  [
    'not those of the controllers',
    template({}, { labels: { 'machine-template-hash': '1', 'cluster.x-k8s.io/deployment-name': 'md' } }),
    template({}, { labels: { 'topology.cluster.x-k8s.io/owned': '' } }),
    [],
  ],
  [
    'the fields that are propagated',
    template({ minReadySeconds: 0, deletion: { nodeDrainTimeoutSeconds: 10, order: 'Oldest' } }),
    template({ taints: [{ key: 'a' }], deletion: { nodeDrainTimeoutSeconds: 20 }, nodeDrainTimeout: '5s' }),
    [
      { path: 'deletion.nodeDrainTimeoutSeconds', current: 10, desired: 20 },
      { path: 'minReadySeconds', current: 0 },
      { path: 'nodeDrainTimeout', desired: '5s' },
      { path: 'taints', desired: [{ key: 'a' }] },
    ],
  ],
  ['what is empty is as if it were not there', template({ taints: [] }), template({ readinessGates: [] }), []],
])('of a deployment: %s', (_, had, wanted, expected) => {
  expect(alwaysOfDeployment(object('MachineDeployment', wanted), [object('MachineSet', had)])).toEqual(
    expected.map((change) => ({ object: 'machine', always: true, ...change })),
  )
})

test('of a control plane: what its machines do not have yet; what is on them besides is other people’s', () => {
  const wanted = {
    metadata: { labels: { a: '2' } },
    spec: { deletion: { nodeDrainTimeoutSeconds: 20 }, readinessGates: [{ conditionType: 'x' }] },
  }
  const machines = ['1', '2'].map((a) =>
    object(
      'Machine',
      { deletion: { nodeDrainTimeoutSeconds: 20, nodeDeletionTimeoutSeconds: 10 } },
      { labels: { a, b: '9' } },
    ),
  )
  expect(alwaysOfControlPlane(object('KubeadmControlPlane', { machineTemplate: wanted }), machines)).toEqual([
    { object: 'machine', path: 'metadata.labels.a', current: '1', desired: '2', always: true },
  ])
})
