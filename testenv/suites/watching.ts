import { expect } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { KubeClient, KubeObject, Resource } from '@/lib/kubernetes/types'
import { until } from '../process'
import type { TestCluster } from '../types'

export const MD: Resource = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }
export const KCP: Resource = {
  group: 'controlplane.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'kubeadmcontrolplanes',
}
export const CLUSTER: Resource = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters' }

export const EXTENSIONS: Resource = {
  group: 'runtime.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'extensionconfigs',
}
export const NAMESPACES: Resource = { group: '', version: 'v1', plural: 'namespaces' }

export const annotation = (object: KubeObject, key: string): string | undefined => object.metadata.annotations?.[key]

export function expectHeld(object: KubeObject, words: string | RegExp = /Waiting for approval in Drydock/): void {
  expect(annotation(object, PAUSED)).toBe('drydock')
  expect(annotation(object, HELD)).toMatch(words)
}

export function expectFree(object: KubeObject): void {
  expect(annotation(object, PAUSED)).toBeUndefined()
  expect(annotation(object, HELD)).toBeUndefined()
}

const uids = (machines: KubeObject[]) => machines.map((m) => m.metadata.uid).sort()

/** Watches a cluster's machines for long enough that an unheld rollout would have shown, and finds the same ones. */
export async function staysStill(cluster: TestCluster, namespace: string, name: string, given?: number): Promise<void> {
  // The sandbox lives thirty times as fast.
  const ms = given ?? (cluster.kind === 'sandbox' ? 1000 : 5000)
  const before = await cluster.machines(namespace, name)
  const end = Date.now() + ms
  await until(
    'the time of watching to pass',
    async () => {
      const now = await cluster.machines(namespace, name)
      expect(uids(now)).toEqual(uids(before))
      expect(now.filter((m) => m.metadata.deletionTimestamp).length).toBe(0)
      return Date.now() >= end
    },
    { ms: ms + 30_000, every: 250, rethrow: true },
  )
}

/** The versions of a cluster's machines, sorted, of workers or of control plane machines only. */
export async function versions(
  cluster: TestCluster,
  namespace: string,
  name: string,
  which: 'workers' | 'control-plane',
): Promise<string[]> {
  const machines = await cluster.machines(namespace, name)
  const control = (m: KubeObject) => m.metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined
  return machines
    .filter((m) => control(m) === (which === 'control-plane'))
    .map((m) => String(m.spec?.version))
    .sort()
}

/** Drydock's release: one patch with the resourceVersion that was read; controllers write status meanwhile, so read again on 409. */
export async function release(drydock: KubeClient, resource: Resource, name: string, namespace: string) {
  for (let attempt = 1; ; attempt++) {
    const object = await drydock.get(resource, name, namespace)
    const ours: JsonObject = annotation(object, PAUSED) === 'drydock' ? { [PAUSED]: null } : {}
    const metadata = { resourceVersion: object.metadata.resourceVersion, annotations: { [HELD]: null, ...ours } }
    try {
      return await drydock.patch(resource, name, namespace, 'merge', { metadata })
    } catch (error) {
      if ((error as { code?: number }).code !== 409 || attempt === 10) throw error
    }
  }
}

export const refusal = async (attempt: Promise<unknown>): Promise<{ code: number; message: string }> => {
  try {
    await attempt
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    return { code, message }
  }
  return { code: 200, message: 'was let through' }
}
