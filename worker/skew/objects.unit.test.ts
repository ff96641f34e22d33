import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ClusterView } from '../types'
import { skewObjects } from './objects'

test('sets count in the one namespace that the operator watches', () => {
  const set = (namespace: string) => [`${namespace}/a`, { metadata: { name: 'a', namespace } }] as const
  const view = {
    capabilities: { resources: {}, missingPermissions: [] },
    objects: (resource: string) =>
      new Map(resource.endsWith('sets.machine.openshift.io') ? [set('openshift-machine-api'), set('default')] : []),
  } as unknown as ClusterView
  const { machineSets, controlPlanes } = skewObjects(view)
  expect([machineSets, controlPlanes].map((sets) => sets.map(({ metadata }) => metadata.namespace))).toEqual([
    ['openshift-machine-api'],
    ['openshift-machine-api'],
  ])
})

test('the control plane’s architecture is that of its nodes, whatever the machine sets are for', () => {
  const kept: Record<string, unknown> = {
    nodes: {
      m: { metadata: { labels: { 'node-role.kubernetes.io/master': '', 'kubernetes.io/arch': 'amd64' } } },
      w: { metadata: { labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/arch': 'arm64' } } },
    },
    'machinesets.machine.openshift.io': {
      'n/arm': {
        metadata: {
          annotations: { 'capacity.cluster-autoscaler.kubernetes.io/labels': 'kubernetes.io/arch=arm64' },
        },
      },
    },
  }
  const view = {
    capabilities: { resources: {}, missingPermissions: [] },
    objects: (resource: string) => new Map(Object.entries(kept[resource] ?? {}) as [string, KubeObject][]),
  } as unknown as ClusterView
  expect(skewObjects(view).controlPlaneArch).toBe('x86_64')
  kept.nodes = {}
  expect(skewObjects(view).controlPlaneArch).toBeNull()
})
