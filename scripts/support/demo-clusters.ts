import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Guarded } from '@/lib/guarded'
import { startTestenv } from '@/testenv/up'
import { startAndWait } from './ready-line'

/** A management cluster that the demo connects. */
export interface DemoCluster {
  name: string
  flavour: 'cluster-api' | 'openshift' | 'real'
  kubeconfig: string
  adminKubeconfig: string
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
    ...ends(program),
  }
}

const ends = (program: Guarded): Pick<DemoCluster, 'ended' | 'stop'> => ({
  ended: program.ended,
  stop: () => program.stop(),
})

/** The real managers instead. Their etcd starts empty each time. */
export async function startReal(dir: string, say: (line: string) => void): Promise<DemoCluster[]> {
  const folder = join(dir, 'testenv')
  mkdirSync(folder, { recursive: true })
  const real = await startTestenv({ say, openshift: true })
  return [
    {
      name: 'harbour',
      flavour: 'real',
      kubeconfig: real.kubeconfigs.drydock,
      adminKubeconfig: real.kubeconfigs.admin,
      ended: real.failed,
      stop: () => real.stop(),
    },
  ]
}
