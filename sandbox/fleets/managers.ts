import type { Seeds } from './seeds'

const DAY = 24 * 3_600_000

interface Manager {
  namespace: string
  name: string
  image: string
  gates?: string
}

/** The Deployments of the managers: what anybody reads to learn versions and feature gates. */
export function addManagers(seeds: Seeds, version: string, inPlace: boolean) {
  const on = (gate: string) => `${gate}=${inPlace}`
  const managers: Manager[] = [
    {
      namespace: 'capi-system',
      name: 'capi-controller-manager',
      image: 'cluster-api-controller',
      gates: [
        'MachinePool=true',
        'ClusterTopology=true',
        on('RuntimeSDK'),
        'MachineSetPreflightChecks=true',
        on('InPlaceUpdates'),
      ].join(','),
    },
    {
      namespace: 'capi-kubeadm-control-plane-system',
      name: 'capi-kubeadm-control-plane-controller-manager',
      image: 'kubeadm-control-plane-controller',
      gates: ['ClusterTopology=true', on('InPlaceUpdates')].join(','),
    },
    {
      namespace: 'capi-kubeadm-bootstrap-system',
      name: 'capi-kubeadm-bootstrap-controller-manager',
      image: 'kubeadm-bootstrap-controller',
    },
    { namespace: 'capd-system', name: 'capd-controller-manager', image: 'capd-manager' },
  ]
  for (const m of managers) {
    addNamespace(seeds, m.namespace)
    const labels = { 'cluster.x-k8s.io/provider': m.namespace, 'control-plane': 'controller-manager' }
    seeds.add('deployments.apps', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: m.name,
      namespace: m.namespace,
      age: 200 * DAY,
      labels,
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'manager',
                image: `registry.k8s.io/cluster-api/${m.image}:${version}`,
                args: [
                  '--leader-elect',
                  '--diagnostics-address=:8443',
                  ...(m.gates ? [`--feature-gates=${m.gates}`] : []),
                ],
              },
            ],
          },
        },
      },
      status: { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1, observedGeneration: 1 },
    })
  }
}

export function addNamespace(seeds: Seeds, name: string, labels: Record<string, string> = {}) {
  if (seeds.all.some(({ resource, object }) => resource === 'namespaces' && object.metadata.name === name)) return
  seeds.add('namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    name,
    age: 200 * DAY,
    labels: { 'kubernetes.io/metadata.name': name, ...labels },
    status: { phase: 'Active' },
  })
}
