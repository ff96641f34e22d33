import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { connectTestCluster } from '@/testenv/test-cluster'
import { startTestenv, type RunningTestenv } from '@/testenv/up'
import type { Ending } from './ending'
import { startAndWait } from './ready-line'

/** A management cluster that the demo connects. */
export interface DemoCluster {
  name: string
  flavour: 'cluster-api' | 'openshift' | 'real'
  kubeconfig: string
  adminKubeconfig: string
  /** The administrator's kubeconfig as a file, for kubectl. */
  adminFile?: string
  /** The MachineDeployment whose version somebody raises: the change that waits when the demo opens. */
  raised?: { namespace: string; name: string }
  /** Resolves when it has ended by itself. */
  ended: Promise<unknown>
}

const USUAL = 60

/** A simulated fleet is made once: another size is refused in words, instead of showing the old fleet. */
export function requireSize(dir: string, machines: number | undefined): void {
  const folder = join(dir, 'sandbox')
  const file = join(folder, 'machines')
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, String(machines ?? USUAL))
    return
  }
  const made = existsSync(file) ? Number(readFileSync(file, 'utf8')) : USUAL
  if (machines === undefined || machines === made) return
  throw new Error(
    `The fleet in ${dir} was made with about ${made} machines. For one of ${machines}, add --dir FOLDER, or delete ${dir} first.`,
  )
}

/** OpenShift on each platform beside AWS, with nine machines each; and a release before the operator managed boot images unasked. */
const CLOUDS: Record<string, string[]> = {
  ...{ gulf: ['GCP'], mast: ['Azure'], keel: ['VSphere'], anvil: ['BareMetal'] },
  slate: ['GCP', '--release', '4.18.20'],
}

/** `clouds`: also OpenShift on the other platforms. */
export async function startSandboxes(
  dir: string,
  machines: number | undefined,
  clouds: boolean,
  ending: Ending,
): Promise<DemoCluster[]> {
  const asked = machines === undefined ? [] : ['--machines', String(machines)]
  return Promise.all([
    startSandbox(dir, 'cluster-api', 'atlas', asked, ending),
    startSandbox(dir, 'openshift', 'tidal', [], ending),
    ...(clouds ? Object.entries(CLOUDS) : []).map(([name, more]) =>
      startSandbox(dir, 'openshift', name, ['--platform', ...more], ending),
    ),
  ])
}

async function startSandbox(
  dir: string,
  flavour: 'cluster-api' | 'openshift',
  name: string,
  more: string[],
  ending: Ending,
): Promise<DemoCluster> {
  const data = join(dir, 'sandbox', name)
  const args = ['--flavour', flavour, '--name', name, '--data', data, ...more]
  const { line, program } = await startAndWait('sandbox/main.ts', args, /^\{.*\}$/, ending)
  const said = JSON.parse(line) as { kubeconfig: string; adminKubeconfig: string }
  return {
    name,
    flavour,
    kubeconfig: readFileSync(said.kubeconfig, 'utf8'),
    adminKubeconfig: readFileSync(said.adminKubeconfig, 'utf8'),
    ...(flavour === 'cluster-api' ? { adminFile: resolve(said.adminKubeconfig) } : {}),
    ...(flavour === 'cluster-api' ? { raised: { namespace: 'payments', name: 'payments-prod-workers-a' } } : {}),
    ended: program.ended,
  }
}

/** The real managers instead, with a small fleet. Their etcd starts empty each time. */
export async function startReal(dir: string, say: (line: string) => void, ending: Ending): Promise<DemoCluster[]> {
  const folder = join(dir, 'testenv')
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  remove() // of an earlier start that was killed
  const real = await startTestenv({ dir: folder, say, signal: ending.signal }).catch((error: unknown) => {
    if (ending.begun) remove()
    throw error // otherwise its logs may say more
  })
  ending.add(async () => {
    await real.stop()
    remove()
  })
  await ending.unless(makeFleet(real, say))
  return [
    {
      name: 'harbour',
      flavour: 'real',
      kubeconfig: real.kubeconfigs.drydock,
      adminKubeconfig: real.kubeconfigs.admin,
      adminFile: resolve(folder, 'kubeconfig'),
      raised: { namespace: 'payments', name: 'payments-prod-md' },
      ended: real.failed,
    },
  ]
}

/** Two workload clusters, one of them by a ClusterClass, on machines that exist in the provider's memory only. */
async function makeFleet(real: RunningTestenv, say: (line: string) => void): Promise<void> {
  say('Making two workload clusters with 14 machines (half a minute to two) …')
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

/** How to change something in the fleet by hand; nothing where there is no kubeconfig for it. */
export function kubectlWords(clusters: Pick<DemoCluster, 'adminFile'>[]): string | null {
  const file = clusters.find((cluster) => cluster.adminFile)?.adminFile
  if (!file) return null
  const patch = '{"spec":{"version":"v1.34.2"}}'
  return `To change something yourself, with kubectl in another terminal:

  export KUBECONFIG='${file.replaceAll("'", `'\\''`)}'
  kubectl -n payments patch kubeadmcontrolplane payments-prod-cp --type merge -p '${patch}'
`
}

/** How a second person comes in, for what the first may not approve alone: into this fleet, whatever the environment names. */
export const personWords = (dir: string): string =>
  `To be a second person, in another browser or a private window, open the link that this prints:

  env -u DATABASE_URL -u DRYDOCK_URL DRYDOCK_DATA_DIR='${dir.replaceAll("'", `'\\''`)}' npm run admin -- add-user ada@example.com --name Ada --role approver
`

/** What Ctrl-C leaves behind. */
export const leftWords = (dir: string, real: boolean): string =>
  real
    ? `Ctrl-C ends everything. The management cluster is made anew at each start; Drydock’s own database, with the audit, stays in ${dir}.`
    : `Ctrl-C ends everything. The data stays in ${dir}.`
