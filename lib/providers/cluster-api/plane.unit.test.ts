import { expect, test } from 'vitest'
import { COMPONENTS, ETCD_PARTS, planeHealth } from '@/lib/domain/control-plane'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { conditionsOf } from './conditions'
import { projectMachine } from './machine'
import { etcdOf, planeSaidOf } from './plane'
import { machine } from './testing/objects'

const PARTS = [...ETCD_PARTS, ...COMPONENTS]
const CLEANUP = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup'
const conditions = (but: Record<string, string> = {}): JsonObject[] =>
  [...PARTS, 'NodeReady', 'Ready'].map((type) => ({ type, status: but[type] ?? 'True', message: '* a\n* b' }))
const made = (apiVersion: string, status: JsonObject, annotations: Record<string, string> = {}): KubeObject => {
  const object = machine({ name: 'm' })
  const labels = { 'cluster.x-k8s.io/control-plane': '', 'cluster.x-k8s.io/cluster-name': 'c1' }
  const ownerReferences = [{ apiVersion: 'x', controller: true, kind: 'KubeadmControlPlane', name: 'cp', uid: 'u' }]
  return { ...object, apiVersion, metadata: { ...object.metadata, labels, ownerReferences, annotations }, status }
}
const said = (object: KubeObject) => planeSaidOf(object, conditionsOf(object))
const member = (object: KubeObject) =>
  planeHealth('managed', [{ name: 'm', joined: true, deleting: false, said: said(object) }]).machines[0]!.member

const V2 = 'cluster.x-k8s.io/v1beta2'
const V1 = 'cluster.x-k8s.io/v1beta1'

test.each<[string, string, (all: JsonObject[]) => JsonObject]>([
  ['of now', V2, (all) => ({ conditions: all })],
  ['of now, by the older API', V1, (all) => ({ v1beta2: { conditions: all } })],
  ['from before 1.9, by their older names', V1, (all) => ({ conditions: all })],
  ['from before 1.9, seen by the newer API', V2, (all) => ({ deprecated: { v1beta1: { conditions: all } } })],
])('conditions %s', (_, apiVersion, status) => {
  const found = said(made(apiVersion, status(conditions())))
  expect(found.parts.map(({ type }) => type)).toEqual(PARTS)
  expect(found).toMatchObject({
    node: 'ready',
    hook: false,
    parts: [{ status: 'True', message: 'a; b' }, {}, {}, {}, {}],
  })
  expect(member(made(apiVersion, status(conditions())))).toBe('healthy')
  expect(member(made(apiVersion, status(conditions({ EtcdMemberHealthy: 'False' }))))).toBe('ill')
  expect(member(made(apiVersion, status(conditions({ EtcdPodHealthy: 'Unknown' }))))).toBe('unknown')
  expect(member(made(apiVersion, status(conditions({ NodeReady: 'Unknown' }))))).toBe('unknown')
})

test('of a node that only the older condition speaks of, and of what nobody said anything about', () => {
  const older = [{ type: 'NodeHealthy', status: 'False' }]
  expect(said(made(V1, { conditions: older }))).toEqual({ parts: [], node: 'not-ready', hook: false })
  expect(said(made(V2, {}))).toEqual({ parts: [], node: 'unknown', hook: false })
  expect(member(made(V2, {}))).toBe('unknown')
})

test('whether its manager still has to take the member out; kept of control planes only', () => {
  expect(said(made(V2, {}, { [CLEANUP]: '' })).hook).toBe(true)
  const context = { find: () => undefined, governed: () => false, now: 0 }
  expect(projectMachine(made(V2, { conditions: conditions() }), context).machine!.plane?.parts).toHaveLength(5)
  expect(projectMachine(machine({ name: 'w' }), context).machine!.plane).toBeNull()
})

test.each([
  [{}, 'managed'],
  [{ local: { dataDir: '/d' } }, 'managed'],
  [{ external: {} }, 'managed'],
  [{ external: { endpoints: ['https://e:2379'] } }, 'external'],
])('etcd %j', (etcd, whose) => {
  const spec = { kubeadmConfigSpec: { clusterConfiguration: { etcd } } }
  expect(etcdOf({ ...made(V2, {}), kind: 'KubeadmControlPlane', spec })).toBe(whose)
  expect(etcdOf({ ...made(V2, {}), kind: 'MachineDeployment', spec })).toBeNull()
})
