import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient } from '@/lib/kubernetes/types'

const DEPLOYMENTS = { group: 'apps', version: 'v1', plural: 'deployments' }
const [NAME, NAMESPACE] = ['capi-controller-manager', 'capi-system']

/** The Deployment of Cluster API's manager as it is after an upgrade that resets its gates; call what comes back to undo it. */
export async function withoutInPlace(admin: KubeClient): Promise<() => Promise<void>> {
  const { apiVersion, kind, spec } = await admin.get(DEPLOYMENTS, NAME, NAMESPACE)
  const runs = async (text: string): Promise<void> => {
    await admin.delete(DEPLOYMENTS, NAME, NAMESPACE)
    const metadata = { name: NAME, namespace: NAMESPACE }
    await admin.create(DEPLOYMENTS, { apiVersion, kind, metadata, spec: JSON.parse(text) as JsonObject }, NAMESPACE)
  }
  const before = JSON.stringify(spec)
  await runs(before.replaceAll('InPlaceUpdates=true', 'InPlaceUpdates=false'))
  return () => runs(before)
}
