import { expect, test } from 'vitest'
import type { SandboxObject } from '../../types'
import { controlPlane } from './control-plane-webhook'

const plane = (etcd: object): SandboxObject =>
  ({
    ...{ apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', kind: 'KubeadmControlPlane', metadata: { name: 'p' } },
    spec: { replicas: 3, version: 'v1.33.1', kubeadmConfigSpec: { clusterConfiguration: { etcd } } },
  }) as unknown as SandboxObject
const external = { external: { endpoints: ['https://e:2379'] } }
const said = (after: object, before?: object) =>
  controlPlane(plane(after), before && plane(before)).map(({ message }) => message)

test('etcd stays where it is: its own, or an external one, and never both', () => {
  const change = expect.stringContaining('cannot change between external and local etcd') as string
  expect(said(external)).toEqual([])
  expect(said(external, external)).toEqual([])
  expect(said(external, {})).toEqual([change])
  expect(said({}, external)).toEqual(expect.arrayContaining([change]))
  expect(said({ ...external, local: { dataDir: '/x' } })[0]).toContain('cannot have both external and local etcd')
})
