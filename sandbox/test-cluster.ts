import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createKubeClient } from '@/lib/kubernetes/client'
import { readKubeconfig } from '@/lib/kubernetes/kubeconfig'
import type { KubeClient, KubeObject, Resource } from '@/lib/kubernetes/types'
import { plainCluster } from '../testenv/clusters/plain'
import { topologyCluster } from '../testenv/clusters/topology'
import type { TestCluster, WorkloadClusterOptions } from '../testenv/types'
import { startSandbox, type SandboxOptions } from './index'
import type { RunningSandbox } from './types'

export interface SandboxTestCluster extends TestCluster {
  sandbox: RunningSandbox
}

const DEADLINE = 60_000
const CORE = 'cluster.x-k8s.io'
const resource = (plural: string, group = CORE): Resource => ({ group, version: 'v1beta2', plural })
const NAMESPACES: Resource = { group: '', version: 'v1', plural: 'namespaces' }

const PLURALS: Record<string, string> = { ClusterClass: 'clusterclasses' }
const pluralOf = (kind: string) => PLURALS[kind] ?? `${kind.toLowerCase()}s`

/** The sandbox as a cluster under test: empty, and thirty times as fast as in reality. */
export async function sandboxTestCluster(options: Partial<SandboxOptions> = {}): Promise<SandboxTestCluster> {
  const { inPlace = true } = options
  const sandbox = await startSandbox({
    flavour: 'cluster-api',
    name: 'test',
    machines: 0,
    speed: 30,
    life: false,
    ...options,
  })
  const { credentials } = readKubeconfig(sandbox.adminKubeconfig)
  if (!credentials) throw new Error('The sandbox gave a kubeconfig that cannot be read.')
  const admin = createKubeClient(credentials)
  return {
    kind: 'sandbox',
    sandbox,
    kubeconfig: sandbox.kubeconfig,
    adminKubeconfig: sandbox.adminKubeconfig,
    admin,
    inPlace,
    async namespace(labels = {}) {
      const name = `t-${randomBytes(4).toString('hex')}`
      await admin.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })
      return name
    },
    async workloadCluster(wanted) {
      for (const object of wanted.topology ? topologyCluster(wanted) : plainCluster(wanted)) {
        const group = String(object.apiVersion).split('/')[0] ?? ''
        await admin.create(resource(pluralOf(String(object.kind)), group), object, wanted.namespace)
      }
      await settled(admin, wanted)
      return { controlPlane: `${wanted.name}-cp`, machineDeployment: `${wanted.name}-md` }
    },
    machines: (namespace, cluster) => machinesOf(admin, namespace, cluster),
    async stop() {
      await admin.close()
      await sandbox.stop()
    },
  }
}

async function machinesOf(admin: KubeClient, namespace: string, cluster: string): Promise<KubeObject[]> {
  const items: KubeObject[] = []
  let next: string | undefined
  do {
    const page = await admin.list(resource('machines'), namespace, {
      labelSelector: `cluster.x-k8s.io/cluster-name=${cluster}`,
      continue: next,
    })
    items.push(...page.items)
    next = page.continue
  } while (next)
  return items
}

const isTrue = (object: KubeObject, type: string) =>
  ((object.status?.conditions ?? []) as { type: string; status: string }[]).some(
    (c) => c.type === type && c.status === 'True',
  )

async function settled(admin: KubeClient, wanted: WorkloadClusterOptions): Promise<void> {
  const { namespace, name } = wanted
  const expected = (wanted.controlPlane?.replicas ?? 1) + (wanted.workers?.replicas ?? 0)
  const end = Date.now() + DEADLINE
  for (;;) {
    const machines = await machinesOf(admin, namespace, name)
    const running = machines.filter((m) => m.status?.phase === 'Running' && isTrue(m, 'UpToDate'))
    if (machines.length === expected && running.length === expected && (await groupsSettled(admin, wanted))) return
    if (Date.now() > end)
      throw new Error(`${running.length} of ${expected} machines of ${namespace}/${name} are running and up to date.`)
    await wait(100)
  }
}

async function groupsSettled(admin: KubeClient, { namespace, name }: WorkloadClusterOptions): Promise<boolean> {
  const groups = [
    await admin.get(resource('kubeadmcontrolplanes', 'controlplane.cluster.x-k8s.io'), `${name}-cp`, namespace),
    await admin.get(resource('machinedeployments'), `${name}-md`, namespace),
  ]
  return groups.every((g) => isTrue(g, 'Available') && g.status?.observedGeneration === g.metadata.generation)
}
