import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Guarded } from '@/lib/guarded'
import { connectTestCluster } from '@/testenv/test-cluster'
import { startTestenv, type RunningTestenv } from '@/testenv/up'
import { startAndWait } from './ready-line'

/** A management cluster that the demo connects. */
export interface DemoCluster {
  name: string
  flavour: 'cluster-api' | 'openshift' | 'real'
  kubeconfig: string
  adminKubeconfig: string
  /** The MachineDeployment whose version somebody raises: the change that waits when the demo opens. */
  raised?: { namespace: string; name: string }
  /** Resolves when it has ended by itself. */
  ended: Promise<unknown>
  stop(): Promise<void>
}

export async function startSandboxes(dir: string, machines: number | undefined): Promise<DemoCluster[]> {
  const asked = machines === undefined ? [] : ['--machines', String(machines)]
  return Promise.all([startSandbox(dir, 'cluster-api', 'atlas', asked), startSandbox(dir, 'openshift', 'tidal', [])])
}

async function startSandbox(
  dir: string,
  flavour: 'cluster-api' | 'openshift',
  name: string,
  more: string[],
): Promise<DemoCluster> {
  const data = join(dir, 'sandbox', name)
  const args = ['--flavour', flavour, '--name', name, '--data', data, ...more]
  const { line, program } = await startAndWait('sandbox/main.ts', args, /^\{.*\}$/)
  const said = JSON.parse(line) as { kubeconfig: string; adminKubeconfig: string }
  return {
    name,
    flavour,
    kubeconfig: readFileSync(said.kubeconfig, 'utf8'),
    adminKubeconfig: readFileSync(said.adminKubeconfig, 'utf8'),
    ...(flavour === 'cluster-api' ? { raised: { namespace: 'payments', name: 'payments-prod-workers-a' } } : {}),
    ...ends(program),
  }
}

const ends = (program: Guarded): Pick<DemoCluster, 'ended' | 'stop'> => ({
  ended: program.ended,
  stop: () => program.stop(),
})

/** The real managers instead, with a small fleet. Their etcd starts empty each time. */
export async function startReal(dir: string, say: (line: string) => void): Promise<DemoCluster[]> {
  const folder = join(dir, 'testenv')
  mkdirSync(folder, { recursive: true })
  const real = await startTestenv({ say, openshift: true })
  try {
    await makeFleet(real, say)
  } catch (error) {
    await real.stop()
    throw error
  }
  return [
    {
      name: 'harbour',
      flavour: 'real',
      kubeconfig: real.kubeconfigs.drydock,
      adminKubeconfig: real.kubeconfigs.admin,
      raised: { namespace: 'payments', name: 'payments-prod-md' },
      ended: real.failed,
      stop: () => real.stop(),
    },
  ]
}

/** Two workload clusters, one of them by a ClusterClass, on machines that exist in the provider's memory only. */
async function makeFleet(real: RunningTestenv, say: (line: string) => void): Promise<void> {
  say('Making two workload clusters …')
  const cluster = connectTestCluster({ ...real, control: '' })
  const namespaces = { group: '', version: 'v1', plural: 'namespaces' }
  try {
    for (const name of ['payments', 'search'])
      await real.admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    const version = 'v1.34.1'
    await Promise.all([
      cluster.workloadCluster({
        ...{ namespace: 'payments', name: 'payments-prod', version },
        ...{ controlPlane: { replicas: 3, maxSurge: 1 }, workers: { replicas: 6, maxSurge: 0, maxUnavailable: 1 } },
      }),
      cluster.workloadCluster({
        ...{ namespace: 'search', name: 'search-eu', version, topology: true },
        ...{ controlPlane: { replicas: 1 }, workers: { replicas: 4 } },
      }),
    ])
  } finally {
    await cluster.stop()
  }
}
