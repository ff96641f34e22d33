import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient } from '@/lib/kubernetes/types'

const DEPLOYMENTS = { group: 'apps', version: 'v1', plural: 'deployments' }
const MANAGERS = {
  core: ['capi-controller-manager', 'capi-system'],
  controlPlane: ['capi-kubeadm-control-plane-controller-manager', 'capi-kubeadm-control-plane-system'],
} as const

/**
 * What its controller writes once its Pods run. For those that are no Pods, and because a Deployment without is one that is
 * still being rolled out.
 */
export async function showRunning(admin: KubeClient, name: string, namespace: string): Promise<void> {
  const { metadata } = await admin.get(DEPLOYMENTS, name, namespace)
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
  const status = { observedGeneration: metadata.generation ?? 1, ...counts }
  await admin.patch(DEPLOYMENTS, name, namespace, 'merge', { status }, { subresource: 'status' })
}

/** The Deployment of a manager as it is after an upgrade that resets its gates; call what comes back to undo it. */
export async function withoutInPlace(
  admin: KubeClient,
  manager: keyof typeof MANAGERS = 'core',
): Promise<() => Promise<void>> {
  const [name, namespace] = MANAGERS[manager]
  const { apiVersion, kind, spec } = await admin.get(DEPLOYMENTS, name, namespace)
  const runs = async (text: string): Promise<void> => {
    await admin.delete(DEPLOYMENTS, name, namespace)
    const made = { apiVersion, kind, metadata: { name, namespace }, spec: JSON.parse(text) as JsonObject }
    await admin.create(DEPLOYMENTS, made, namespace)
    await showRunning(admin, name, namespace)
  }
  const before = JSON.stringify(spec)
  await runs(before.replaceAll('InPlaceUpdates=true', 'InPlaceUpdates=false'))
  return () => runs(before)
}
