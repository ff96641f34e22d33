import * as N from '../controllers/names'
import { addChecks } from './checks'
import { addCluster, HOST_SPEC, type ClusterSeed } from './clusters'
import { JOIN } from './groups'
import { addManagers, addNamespace } from './managers'
import { Seeds, type Seed } from './seeds'

const ZONES = ['eu-central-1a', 'eu-central-1b', 'eu-central-1c']

/** The demo's management cluster: 63 machines in four workload clusters, and something going on. */
const ATLAS: ClusterSeed[] = [
  {
    name: 'payments-prod',
    namespace: 'payments',
    version: 'v1.34.1',
    ageDays: 212,
    labels: { environment: 'production', team: 'payments' },
    controlPlane: { replicas: 3, maxSurge: 0 },
    groups: [{ name: 'workers-a', replicas: 12, maxSurge: 0, maxUnavailable: 1, zones: ZONES, checkedAfter: 300 }],
  },
  {
    name: 'payments-stage',
    namespace: 'payments',
    version: 'v1.34.2',
    ageDays: 96,
    labels: { environment: 'staging', team: 'payments' },
    controlPlane: { replicas: 1, maxSurge: 1 },
    // Their hosts start anew when they are updated, which takes longer than their health check waits.
    groups: [{ name: 'general', replicas: 8, maxSurge: 1, maxUnavailable: 0, checkedAfter: 60, away: '2m' }],
    topology: 'payments-standard',
  },
  {
    name: 'search-eu',
    namespace: 'search',
    version: 'v1.33.6',
    ageDays: 340,
    labels: { environment: 'production', team: 'search' },
    controlPlane: { replicas: 3, maxSurge: 1 },
    groups: [
      {
        name: 'indexers',
        replicas: 12,
        maxSurge: 2,
        maxUnavailable: 0,
        zones: ZONES,
        // Slow hosts: whoever opens the demo finds the rollout on its way for another twenty minutes.
        startup: '3m30s',
        restart: { minutesAgo: 14, replaced: 3 },
      },
      { name: 'query', replicas: 12, maxSurge: '25%', maxUnavailable: 0, zones: ZONES },
    ],
  },
  {
    name: 'media',
    namespace: 'media',
    version: 'v1.34.2',
    ageDays: 58,
    labels: { environment: 'production', team: 'media' },
    controlPlane: { replicas: 3, maxSurge: 1 },
    groups: [
      {
        name: 'batch-spot',
        replicas: 9,
        maxSurge: 0,
        maxUnavailable: 1,
        restart: { minutesAgo: 52, replaced: 4, stuckOn: 'media/encoder' },
      },
    ],
  },
]

const TEAMS = ['checkout', 'ledger', 'catalog', 'identity', 'mail', 'maps', 'video', 'ads', 'risk', 'telemetry']
const VERSIONS = ['v1.33.6', 'v1.34.1', 'v1.34.2', 'v1.34.2', 'v1.35.0']
const PER_CLUSTER = 250

/** More clusters of the same kind, until there are as many machines as asked for. */
function further(machines: number): ClusterSeed[] {
  const clusters: ClusterSeed[] = []
  for (let left = machines, i = 0; left > 0; i++) {
    const team = TEAMS[i % TEAMS.length] ?? 'team'
    const size = Math.min(left, PER_CLUSTER)
    const controlPlane = Math.min(3, size) === 3 ? 3 : 1
    const workers = size - controlPlane
    const groups = Math.max(1, Math.ceil(workers / 50))
    clusters.push({
      name: `${team}-${String(Math.floor(i / TEAMS.length) + 1).padStart(2, '0')}`,
      namespace: team,
      version: VERSIONS[i % VERSIONS.length] ?? 'v1.34.2',
      ageDays: 20 + ((i * 37) % 300),
      labels: { environment: i % 4 === 0 ? 'staging' : 'production', team },
      controlPlane: { replicas: controlPlane, maxSurge: i % 2 === 0 ? 1 : 0 },
      groups: Array.from({ length: workers > 0 ? groups : 0 }, (_, g) => ({
        name: `pool-${String.fromCharCode(97 + g)}`,
        replicas: Math.floor(workers / groups) + (g < workers % groups ? 1 : 0),
        maxSurge: g % 2,
        maxUnavailable: g % 2 === 0 ? 1 : '10%',
        zones: ZONES,
      })),
    })
    left -= size
  }
  return clusters
}

const sizeOf = (clusters: ClusterSeed[]) =>
  clusters.reduce((n, c) => n + c.controlPlane.replicas + c.groups.reduce((m, g) => m + g.replicas, 0), 0)

export interface ClusterApiFleetOptions {
  /** At least this many machines; without it, the demo's 63. 0: an empty management cluster. */
  machines?: number
  seed?: number
  inPlace?: boolean
}

/** A whole management cluster in a settled state, made without running any controller. */
export function clusterApiFleet(options: ClusterApiFleetOptions = {}): Seed[] {
  const seeds = new Seeds(options.seed ?? 1)
  addManagers(seeds, 'v1.14.0', options.inPlace ?? true)
  if (options.machines === 0) return seeds.all
  const base = sizeOf(ATLAS)
  const clusters = [...ATLAS, ...further(Math.max(0, (options.machines ?? base) - base))]
  for (const cluster of clusters) {
    addNamespace(seeds, cluster.namespace, { team: cluster.labels?.team ?? cluster.namespace })
    if (cluster.topology) addClass(seeds, cluster.namespace, cluster.topology)
    addCluster(seeds, cluster)
  }
  for (const cluster of clusters) addChecks(seeds, cluster)
  return seeds.all
}

function addClass(seeds: Seeds, namespace: string, name: string) {
  const ref = (apiVersion: string, kind: string, of: string) => ({ templateRef: { apiVersion, kind, name: of } })
  const template = (resource: string, apiVersion: string, kind: string, of: string, spec: object) =>
    seeds.add(resource, {
      apiVersion,
      kind,
      name: of,
      namespace,
      age: 100 * 24 * 3_600_000,
      spec: { template: { spec: JSON.parse(JSON.stringify(spec)) } },
      manager: 'gitops',
    })
  const infrastructure = 'infrastructure.cluster.x-k8s.io'
  template(`devclustertemplates.${infrastructure}`, N.INFRASTRUCTURE, 'DevClusterTemplate', name, {
    backend: { inMemory: {} },
  })
  template(N.DEV_MACHINE_TEMPLATES, N.INFRASTRUCTURE, 'DevMachineTemplate', name, HOST_SPEC)
  template(N.CONFIG_TEMPLATES, N.BOOTSTRAP, 'KubeadmConfigTemplate', name, JOIN)
  template(
    'kubeadmcontrolplanetemplates.controlplane.cluster.x-k8s.io',
    N.CONTROL_PLANE,
    'KubeadmControlPlaneTemplate',
    name,
    {
      kubeadmConfigSpec: {},
    },
  )
  seeds.add(N.CLUSTER_CLASSES, {
    apiVersion: N.CORE,
    kind: 'ClusterClass',
    name,
    namespace,
    age: 100 * 24 * 3_600_000,
    manager: 'gitops',
    spec: {
      controlPlane: {
        ...ref(N.CONTROL_PLANE, 'KubeadmControlPlaneTemplate', name),
        machineInfrastructure: ref(N.INFRASTRUCTURE, 'DevMachineTemplate', name),
      },
      infrastructure: ref(N.INFRASTRUCTURE, 'DevClusterTemplate', name),
      workers: {
        machineDeployments: [
          {
            class: 'workers',
            bootstrap: ref(N.BOOTSTRAP, 'KubeadmConfigTemplate', name),
            infrastructure: ref(N.INFRASTRUCTURE, 'DevMachineTemplate', name),
          },
        ],
      },
    },
  })
}
