import type { JsonObject } from '../../lib/domain/json'
import { kubeadmConfigFor } from '../controllers/kubeadm'
import * as N from '../controllers/names'
import type { SandboxObject } from '../types'
import { addDeployment, type GroupSeed } from './groups'
import { addMachine } from './machines'
import { ownedBy, type Seeds } from './seeds'

const DAY = 24 * 3_600_000

export interface ClusterSeed {
  name: string
  namespace: string
  version: string
  ageDays: number
  labels?: Record<string, string>
  controlPlane: { replicas: number; maxSurge: 0 | 1 }
  groups: GroupSeed[]
  /** Managed by this ClusterClass. */
  topology?: string
}

const KUBEADM: JsonObject = {
  clusterConfiguration: {
    apiServer: { extraArgs: [{ name: 'audit-log-maxage', value: '30' }] },
    etcd: { local: { dataDir: '/var/lib/etcd' } },
  },
  joinConfiguration: { nodeRegistration: { criSocket: 'unix:///run/containerd/containerd.sock' } },
}

/** Hosts take about a minute to come up, so that a rollout can be watched. */
export const hostSpec = (startupDuration = '35s'): JsonObject => ({
  backend: {
    inMemory: { vm: { provisioning: { startupDuration } }, node: { provisioning: { startupDuration: '15s' } } },
  },
})
export const HOST_SPEC = hostSpec()

export function addTemplate(
  seeds: Seeds,
  resource: string,
  kind: string,
  apiVersion: string,
  name: string,
  owner: SandboxObject,
  spec: JsonObject,
) {
  return seeds.add(resource, {
    apiVersion,
    kind,
    name,
    namespace: owner.metadata.namespace,
    age: seeds.now - Date.parse(owner.metadata.creationTimestamp),
    owners: ownedBy(owner, false),
    spec: { template: { spec } },
    manager: 'gitops',
  })
}

export function addCluster(seeds: Seeds, c: ClusterSeed) {
  const { name, namespace } = c
  const age = c.ageDays * DAY
  const owned: Record<string, string> = c.topology ? { [N.LABEL.owned]: '' } : {}
  const labels = { [N.LABEL.cluster]: name, ...owned }
  const controlPlaneName = c.topology ? `${name}-${seeds.random.suffix()}` : `${name}-cp`
  const cluster = seeds.add(N.CLUSTERS, {
    apiVersion: N.CORE,
    kind: 'Cluster',
    name,
    namespace,
    age,
    generation: 2,
    labels: { ...c.labels, ...(c.topology ? labels : {}) },
    finalizers: ['cluster.cluster.x-k8s.io'],
    manager: 'gitops',
    spec: {
      clusterNetwork: {
        pods: { cidrBlocks: ['192.168.0.0/16'] },
        serviceDomain: 'cluster.local',
        services: { cidrBlocks: ['10.128.0.0/12'] },
      },
      controlPlaneEndpoint: { host: `${name}.clusters.example.com`, port: 6443 },
      controlPlaneRef: {
        apiGroup: 'controlplane.cluster.x-k8s.io',
        kind: 'KubeadmControlPlane',
        name: controlPlaneName,
      },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevCluster', name },
      ...(c.topology ? { topology: topology(c) } : {}),
    },
    status: {
      initialization: { controlPlaneInitialized: true, infrastructureProvisioned: true },
      phase: 'Provisioned',
    },
  })
  seeds.add(N.DEV_CLUSTERS, {
    apiVersion: N.INFRASTRUCTURE,
    kind: 'DevCluster',
    name,
    namespace,
    age,
    labels,
    owners: ownedBy(cluster, false),
    spec: { backend: { inMemory: {} }, controlPlaneEndpoint: { host: `${name}.clusters.example.com`, port: 6443 } },
    status: { initialization: { provisioned: true } },
  })
  addControlPlane(seeds, c, cluster, controlPlaneName, labels)
  for (const group of c.groups) addDeployment(seeds, c, group, cluster, labels)
}

const topology = (c: ClusterSeed): JsonObject => ({
  classRef: { name: c.topology ?? '' },
  controlPlane: { replicas: c.controlPlane.replicas },
  version: c.version,
  workers: { machineDeployments: c.groups.map((g) => ({ class: 'workers', name: g.name, replicas: g.replicas })) },
})

function addControlPlane(
  seeds: Seeds,
  c: ClusterSeed,
  cluster: SandboxObject,
  name: string,
  labels: Record<string, string>,
) {
  const age = c.ageDays * DAY
  const { namespace, version } = c
  const template = addTemplate(
    seeds,
    N.DEV_MACHINE_TEMPLATES,
    'DevMachineTemplate',
    N.INFRASTRUCTURE,
    `${c.name}-cp`,
    cluster,
    HOST_SPEC,
  )
  const { replicas, maxSurge } = c.controlPlane
  const controlPlane = seeds.add(N.CONTROL_PLANES, {
    apiVersion: N.CONTROL_PLANE,
    kind: 'KubeadmControlPlane',
    name,
    namespace,
    age,
    labels,
    owners: ownedBy(cluster, false),
    finalizers: ['kubeadm.controlplane.cluster.x-k8s.io'],
    manager: c.topology ? 'capi-topology' : 'gitops',
    spec: {
      kubeadmConfigSpec: KUBEADM,
      machineTemplate: {
        ...(c.topology ? { metadata: { labels } } : {}),
        spec: {
          infrastructureRef: {
            apiGroup: 'infrastructure.cluster.x-k8s.io',
            kind: 'DevMachineTemplate',
            name: template.metadata.name,
          },
        },
      },
      replicas,
      rollout: { strategy: { rollingUpdate: { maxSurge }, type: 'RollingUpdate' } },
      version,
    },
    status: {
      availableReplicas: replicas,
      initialization: { controlPlaneInitialized: true },
      observedGeneration: 1,
      readyReplicas: replicas,
      replicas,
      upToDateReplicas: replicas,
      version,
      versions: [{ replicas, version }],
    },
  })
  for (let i = 0; i < replicas; i++) {
    addMachine(seeds, {
      name: `${name}-${seeds.random.suffix()}`,
      namespace,
      cluster: c.name,
      version,
      owner: controlPlane,
      labels: { ...labels, [N.LABEL.controlPlane]: '', [N.LABEL.controlPlaneName]: name },
      infrastructureTemplate: template,
      bootstrap: { spec: kubeadmConfigFor(KUBEADM, version, false) },
      controlPlane: true,
      age: age - (i + 1) * 600_000,
    })
  }
}
