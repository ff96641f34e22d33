import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { OwnPause } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ProjectionContext } from '../rows'
import { projectCluster } from './cluster'
import { projectGroup } from './group'
import { managed } from './managed'
import { cluster, condition, machineDeployment, machineSet } from './testing/objects'

const context: ProjectionContext = { find: () => undefined, governed: () => true, now: 0 }
const group = (object: KubeObject) => projectGroup(object, context).group!
const rolling = {
  conditions: [condition('RollingOut', 'True', 'RollingOut', 'Rolling out 3 not up-to-date replicas')] as JsonObject[],
}

test('a MachineDeployment at rest', () => {
  expect(group(machineDeployment('md'))).toMatchObject({
    kind: 'MachineDeployment',
    namespace: 'fleet',
    workloadCluster: 'c1',
    version: 'v1.34.0',
    desiredReplicas: 3,
    upToDateReplicas: 3,
    strategy: 'RollingUpdate',
    maxSurge: '1',
    maxUnavailable: '0',
    paused: false,
    held: null,
    rollingOut: false,
    governed: true,
    generation: 2,
  })
})

const SINCE = '2026-11-20T08:30:00Z'
test.each<[string, Record<string, string>, JsonObject, { held: string | null; paused: boolean; rollingOut: boolean }]>([
  ['nobody pauses it', {}, {}, { held: null, paused: false, rollingOut: true }],
  [
    'Drydock holds it',
    { 'cluster.x-k8s.io/paused': 'drydock', 'drydock.dev/held': 'spec.template.spec.version' },
    {},
    { held: 'spec.template.spec.version', paused: false, rollingOut: false },
  ],
  [
    'a person pauses it, presence is enough',
    { 'cluster.x-k8s.io/paused': '' },
    {},
    { held: null, paused: true, rollingOut: false },
  ],
  [
    'a person pauses it with a value of their own',
    { 'cluster.x-k8s.io/paused': 'true', 'drydock.dev/held': 'old' },
    {},
    { held: null, paused: true, rollingOut: false },
  ],
  ['spec.paused', {}, { paused: true }, { held: null, paused: true, rollingOut: false }],
  [
    'held and spec.paused',
    { 'cluster.x-k8s.io/paused': 'drydock', 'drydock.dev/held': 'x' },
    { paused: true },
    { held: 'x', paused: true, rollingOut: false },
  ],
])('held and paused told apart: %s', (_, annotations, spec, expected) => {
  const base = machineDeployment('md')
  expect(
    group(machineDeployment('md', { metadata: { annotations }, spec: { ...base.spec, ...spec }, status: rolling })),
  ).toMatchObject(expected)
})

test.each<[string, Record<string, string>, boolean, OwnPause | null]>([
  ['held by Drydock alone', { 'cluster.x-k8s.io/paused': 'drydock', 'drydock.dev/held': 'x' }, false, null],
  ['nothing', {}, false, null],
  ['the annotation', { 'cluster.x-k8s.io/paused': '' }, false, { annotation: true, spec: false, guarded: false }],
  ['spec.paused', {}, true, { annotation: false, spec: true, guarded: false }],
  [
    'both, beside a hold',
    { 'cluster.x-k8s.io/paused': 'me', 'drydock.dev/held': 'x' },
    true,
    { annotation: true, spec: true, guarded: true },
  ],
  [
    'spec.paused beside a hold',
    { 'cluster.x-k8s.io/paused': 'drydock', 'drydock.dev/held': 'x' },
    true,
    { annotation: false, spec: true, guarded: true },
  ],
])('where somebody’s own pause stands: %s', (_, annotations, paused, ownPause) => {
  const base = machineDeployment('md')
  const wanted = machineDeployment('md', { metadata: { annotations }, spec: { ...base.spec, paused } })
  expect(group(wanted)).toMatchObject({ ownPause })
})

test('and whose it is, by managed fields', () => {
  const base = machineDeployment('md')
  const spec = { ...base.spec, paused: true }
  const annotations = { 'cluster.x-k8s.io/paused': '' }
  const managedFields = [
    { manager: 'kubectl-edit', fieldsV1: { 'f:spec': { 'f:paused': {} } } },
    {
      manager: 'kubectl-annotate',
      fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:cluster.x-k8s.io/paused': {} } } },
    },
  ]
  const by = (metadata: object) => group(machineDeployment('md', { metadata, spec })).ownPause?.by
  expect(by({ managedFields })).toBe('kubectl-edit')
  expect(by({ managedFields, annotations })).toBe('kubectl-annotate')
})

test.each<[string, Record<string, string>, string, string | null]>([
  ['held by Drydock', { 'cluster.x-k8s.io/paused': 'drydock', 'drydock.dev/held': 'x' }, 'True', SINCE],
  ['paused by a person', { 'cluster.x-k8s.io/paused': 'true' }, 'True', SINCE],
  ['paused, and its manager has not seen it yet', { 'cluster.x-k8s.io/paused': 'true' }, 'False', null],
  ['paused with its whole cluster', {}, 'True', null],
])('since when it stands still, %s', (_, annotations, status, heldSince) => {
  const conditions = [{ type: 'Paused', status, reason: 'Paused', message: '', lastTransitionTime: SINCE }]
  expect(group(machineDeployment('md', { metadata: { annotations }, status: { conditions } }))).toMatchObject({
    heldSince,
  })
})

test('a MachineSet is a group only where it stands alone', () => {
  expect(projectGroup(machineSet('a', 'md'), context)).toEqual({})
  expect(projectGroup(machineSet('a', null), context).group).toMatchObject({
    kind: 'MachineSet',
    strategy: null,
    maxSurge: null,
  })
})

test('v1beta1: old places of strategy and counters', () => {
  const old: KubeObject = {
    ...machineDeployment('md'),
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    spec: {
      clusterName: 'c1',
      replicas: 4,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', deletePolicy: 'Oldest' } },
      template: { spec: { version: 'v1.30.1' } },
    },
    status: { replicas: 4, updatedReplicas: 1, readyReplicas: 4, availableReplicas: 3, v1beta2: { readyReplicas: 2 } },
  }
  expect(group(old)).toMatchObject({
    version: 'v1.30.1',
    maxSurge: '25%',
    maxUnavailable: '0',
    deletionOrder: 'Oldest',
    upToDateReplicas: 1,
    readyReplicas: 2,
    availableReplicas: 3,
    rollingOut: true,
  })
})

test('a control plane and OnDelete', () => {
  const plane: KubeObject = {
    ...machineDeployment('cp'),
    kind: 'KubeadmControlPlane',
    spec: {
      replicas: 3,
      version: 'v1.34.1',
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } },
    },
  }
  plane.metadata.ownerReferences = [{ apiVersion: 'x', kind: 'Cluster', name: 'c9', uid: 'u' }]
  plane.metadata.labels = {}
  expect(group(plane)).toMatchObject({ workloadCluster: 'c9', version: 'v1.34.1', maxSurge: '0', maxUnavailable: null })
  const onDelete = machineDeployment('md', {
    spec: { ...machineDeployment('md').spec, rollout: { strategy: { type: 'OnDelete' } } },
  })
  expect(group(onDelete)).toMatchObject({ strategy: 'OnDelete', maxSurge: null, maxUnavailable: null })
})

test('clusters: the version that runs, the class, the pause', () => {
  const running = {
    controlPlane: {
      versions: [
        { version: 'v1.35.0', replicas: 1 },
        { version: 'v1.34.10', replicas: 2 },
      ],
    },
  }
  const topology = { topology: { classRef: { name: 'quick' }, version: 'v1.35.0' } }
  expect(projectCluster(cluster('c1', { ...topology, paused: true }, running), context).workloadCluster).toMatchObject({
    version: 'v1.34.10',
    topologyClass: 'quick',
    paused: true,
    phase: 'Provisioned',
    provider: 'cluster-api',
  })
  // That keeps its topology as it is, and nothing else of it.
  const annotated = cluster('c1')
  annotated.metadata.annotations = { 'cluster.x-k8s.io/paused': '' }
  expect(projectCluster(annotated, context).workloadCluster?.paused).toBe(false)
  const plane = { ...machineDeployment('c1-cp'), status: { version: 'v1.33.3' } }
  const find: ProjectionContext['find'] = (_, key) => (key === 'fleet/c1-cp' ? plane : undefined)
  expect(projectCluster(cluster('c1'), { ...context, find }).workloadCluster).toMatchObject({
    version: 'v1.33.3',
    topologyClass: null,
  })
})

test('clusters: the failure domains for control planes, in either version of the API', () => {
  const domainsOf = (status: JsonObject) => projectCluster(cluster('c1', {}, status), context).workloadCluster!.domains
  const domain = (name: string, controlPlane?: boolean) => ({
    name,
    ...(controlPlane === undefined ? {} : { controlPlane }),
  })
  expect(
    domainsOf({ failureDomains: [domain('b', true), domain('w', false), domain('x'), domain('a', true)] }),
  ).toEqual([...['a', 'b']])
  expect(
    domainsOf({ failureDomains: { b: { controlPlane: true }, w: { controlPlane: false }, a: { controlPlane: true } } }),
  ).toEqual([...['a', 'b']])
  expect(domainsOf({})).toEqual([])
})

test('the author is the last writer of what machines are to be, who is neither a controller nor Drydock', () => {
  const template = { 'f:spec': { 'f:replicas': {}, 'f:template': { 'f:spec': { 'f:version': {} } } } }
  const entry = (manager: string, time: string, subresource?: string, fieldsV1: JsonObject = template) => ({
    ...{ manager, operation: 'Update', time, subresource, fieldsV1 },
  })
  const writers = [
    entry('kubectl-client-side-apply', '2026-01-01T00:00:00Z'),
    entry('argocd-controller', '2026-01-01T00:00:05Z'),
    entry('kubectl-edit', '2026-01-01T00:00:03Z'),
    entry('capi-core', '2026-01-01T00:00:09Z'),
    entry('manager', '2026-01-01T00:00:09Z'),
    entry('drydock', '2026-01-01T00:00:09Z'),
    entry('someone', '2026-01-01T00:00:09Z', 'status'),
    entry('kubectl-annotate', '2026-01-01T00:00:09Z', undefined, { 'f:metadata': { 'f:annotations': {} } }),
    entry('autoscaler', '2026-01-01T00:00:09Z', undefined, { 'f:spec': { 'f:replicas': {} } }),
  ]
  expect(managed(machineDeployment('md', { metadata: { managedFields: writers } }))).toBe('argocd-controller')
  expect(managed(machineDeployment('md', { metadata: { managedFields: writers.slice(3) } }))).toBeNull()
  const topology = [...writers, entry('capi-topology', '2026-01-01T00:00:08Z')]
  expect(managed(machineDeployment('md', { metadata: { managedFields: topology } }))).toBe('capi-topology')
})
