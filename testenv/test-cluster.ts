import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { request } from 'undici'
import { createKubeClient } from '@/lib/kubernetes/client'
import type { KubeClient, KubeObject, Resource } from '@/lib/kubernetes/types'
import { plainCluster } from './clusters/plain'
import { topologyCluster } from './clusters/topology'
import type { Identity } from './identities'
import { until } from './process'
import type { TestCluster, WorkloadClusterOptions } from './types'

/** What a test process needs to know of an environment that another process started. */
export interface Coordinates {
  server: string
  caPem: string
  inPlace: boolean
  tokens: Record<Identity, string>
  kubeconfigs: Record<Identity, string>
  /** Where the process that started it takes orders. */
  control: string
  /** The folder with the managers' logs. */
  dir: string
}

const CORE = (plural: string): Resource => ({ group: 'cluster.x-k8s.io', version: 'v1beta2', plural })
const KCP: Resource = { group: 'controlplane.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmcontrolplanes' }

const PLURAL: Record<string, string> = {
  Cluster: 'clusters',
  ClusterClass: 'clusterclasses',
  MachineDeployment: 'machinedeployments',
  KubeadmControlPlane: 'kubeadmcontrolplanes',
  KubeadmControlPlaneTemplate: 'kubeadmcontrolplanetemplates',
  KubeadmConfigTemplate: 'kubeadmconfigtemplates',
  DevCluster: 'devclusters',
  DevClusterTemplate: 'devclustertemplates',
  DevMachineTemplate: 'devmachinetemplates',
}

export interface RealTestCluster extends TestCluster {
  client(identity: Identity): KubeClient
  /** Ends and starts the managers anew; resolves when they are ready. */
  restartManagers(): Promise<void>
  /** Where the core manager logs. */
  managerLog: string
}

/** The environment that the test run shares; each caller separates by namespaces. */
export function connectTestCluster(at: Coordinates): RealTestCluster {
  const open: KubeClient[] = []
  const client = (identity: Identity) => {
    const made = createKubeClient({ server: at.server, caPem: at.caPem, token: at.tokens[identity] })
    open.push(made)
    return made
  }
  const admin = client('admin')
  const machines = (namespace: string, cluster: string) => listMachines(admin, namespace, cluster)
  return {
    kind: 'real',
    kubeconfig: at.kubeconfigs.drydock,
    adminKubeconfig: at.kubeconfigs.admin,
    admin,
    client,
    inPlace: at.inPlace,
    managerLog: join(at.dir, 'capi-core.log'),
    machines,
    namespace: async (labels) => {
      const name = `t-${randomBytes(4).toString('hex')}`
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: labels ?? {} } }
      await admin.create({ group: '', version: 'v1', plural: 'namespaces' }, body)
      return name
    },
    workloadCluster: async (options) => {
      await createCluster(admin, options)
      await until(`the machines of ${options.name}`, () => settled(admin, options), { ms: 500_000, every: 400 })
      return { controlPlane: `${options.name}-cp`, machineDeployment: `${options.name}-md` }
    },
    restartManagers: async () => {
      const { statusCode, body } = await request(`${at.control}/restart`, { method: 'POST', headersTimeout: 180_000 })
      const answer = await body.text()
      if (statusCode !== 200) throw new Error(answer)
    },
    stop: async () => {
      await Promise.all(open.map((c) => c.close()))
    },
  }
}

async function createCluster(admin: KubeClient, options: WorkloadClusterOptions): Promise<void> {
  for (const object of options.topology ? topologyCluster(options) : plainCluster(options)) {
    const [group, version] = String(object.apiVersion).split('/') as [string, string]
    const resource = { group, version, plural: PLURAL[String(object.kind)]! }
    if (!resource.plural) throw new Error(`No plural for ${String(object.kind)} (${group})`)
    await admin.create(resource, object, options.namespace)
  }
}

async function listMachines(admin: KubeClient, namespace: string, cluster: string): Promise<KubeObject[]> {
  const page = await admin.list(CORE('machines'), namespace, {
    labelSelector: `cluster.x-k8s.io/cluster-name=${cluster}`,
  })
  return page.items
}

/** One that is not so when its control plane is held is not looked at again, and cannot be updated in place. */
const WELL = [
  ...['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy'],
  ...['EtcdPodHealthy', 'EtcdMemberHealthy'],
]
const isControlPlane = (m: KubeObject) => 'cluster.x-k8s.io/control-plane' in (m.metadata.labels ?? {})

/** Every machine Running, well and up to date, and both controllers have seen it. */
async function settled(admin: KubeClient, o: WorkloadClusterOptions): Promise<boolean> {
  const machines = await listMachines(admin, o.namespace, o.name)
  const wanted = (o.controlPlane?.replicas ?? 1) + (o.workers?.replicas ?? 0)
  if (machines.length !== wanted || !machines.every((m) => m.status?.phase === 'Running' && isTrue(m, 'UpToDate')))
    return false
  if (!machines.filter(isControlPlane).every((m) => WELL.every((type) => isTrue(m, type)))) return false
  const groups = [
    await admin.get(KCP, `${o.name}-cp`, o.namespace),
    await admin.get(CORE('machinedeployments'), `${o.name}-md`, o.namespace),
  ]
  return groups.every((g) => isTrue(g, 'Available') && g.status?.observedGeneration === g.metadata.generation)
}

function isTrue(object: KubeObject, type: string): boolean {
  const conditions = (object.status?.conditions ?? []) as { type: string; status: string }[]
  return conditions.some((c) => c.type === type && c.status === 'True')
}
