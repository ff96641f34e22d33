import type { KubeClient } from '@/lib/kubernetes/types'
import { CLUSTER_API } from './build'
import type { Manager } from './crds'
import { showRunning } from './manager-gates'
import { gatesArgument, type Gates } from './managers'

const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces' }
const DEPLOYMENTS = { group: 'apps', version: 'v1', plural: 'deployments' }
const SHOWN = [
  {
    manager: 'capi-core',
    namespace: 'capi-system',
    name: 'capi-controller-manager',
    image: 'cluster-api-controller',
  },
  {
    manager: 'capi-controlplane',
    namespace: 'capi-kubeadm-control-plane-system',
    name: 'capi-kubeadm-control-plane-controller-manager',
    image: 'kubeadm-control-plane-controller',
  },
] as const satisfies { manager: Manager; namespace: string; name: string; image: string }[]

/**
 * The managers run as processes here, not as Pods. Their Deployments say what they truly run with, because that is where
 * anybody reads versions and feature gates.
 */
export async function showManagers(admin: KubeClient, gates: Gates): Promise<void> {
  for (const { manager, namespace, name, image } of SHOWN) {
    await admin.patch(NAMESPACES, namespace, undefined, 'apply', {
      ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    })
    const labels = { 'cluster.x-k8s.io/provider': namespace }
    const container = {
      name: 'manager',
      image: `registry.k8s.io/cluster-api/${image}:${CLUSTER_API}`,
      args: [gatesArgument(manager, gates)],
    }
    await admin.patch(DEPLOYMENTS, name, namespace, 'apply', {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, labels } },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    })
    await showRunning(admin, name, namespace)
  }
}
