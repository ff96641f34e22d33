import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient } from '@/lib/kubernetes/types'

const DEPLOYMENTS = { group: 'apps', version: 'v1', plural: 'deployments' }
const MANAGERS = {
  core: ['capi-controller-manager', 'capi-system'],
  controlPlane: ['capi-kubeadm-control-plane-controller-manager', 'capi-kubeadm-control-plane-system'],
} as const

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
  }
  const before = JSON.stringify(spec)
  await runs(before.replaceAll('InPlaceUpdates=true', 'InPlaceUpdates=false'))
  return () => runs(before)
}
