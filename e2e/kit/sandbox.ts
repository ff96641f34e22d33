import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { readStack } from '../support/constants'
import { Cluster } from './cluster'

export interface OwnSandbox {
  name: string
  /** What Drydock is given. */
  kubeconfig: string
  kubeconfigFile: string
  admin: Cluster
  /** It answers no more, and is looked for. */
  end(): Promise<void>
  /** It ends, and is forgotten: else the worker would look for it in all tests that come. */
  stop(): Promise<void>
}

const DEADLOCK = '40P01'

async function forget(name: string): Promise<void> {
  const client = new Client({ connectionString: readStack().databaseUrl })
  await client.connect()
  const gone = (tries: number): Promise<unknown> =>
    client.query('DELETE FROM management_cluster WHERE name = $1', [name]).catch((error: { code?: string }) => {
      // The worker writes what it has heard of it, in another order.
      if (error.code !== DEADLOCK || tries === 0) throw error
      return gone(tries - 1)
    })
  await gone(10).finally(() => client.end())
}

/** A simulated management cluster that only this test knows. */
export async function ownSandbox(
  flavour: 'cluster-api' | 'openshift',
  machines = 12,
  more: string[] = [],
): Promise<OwnSandbox> {
  const name = `e2e-${flavour === 'openshift' ? 'ocp' : 'capi'}-${Math.random().toString(36).slice(2, 7)}`
  const data = mkdtempSync(join(tmpdir(), `${name}-`))
  const size = flavour === 'openshift' ? [] : ['--machines', String(machines)]
  const args = [
    '--import',
    'tsx',
    'sandbox/main.ts',
    '--flavour',
    flavour,
    '--name',
    name,
    '--data',
    data,
    '--speed',
    '10',
    // Uids come from it: two clusters of one seed would be one and the same.
    '--seed',
    String(2 + Math.floor(Math.random() * 1e9)),
    ...size,
    ...more,
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
  const line = await new Promise<string | undefined>((resolve) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const found = said.split('\n').find((l) => /^\{.*\}$/.test(l))
      if (found) resolve(found)
    })
    void ended.then(() => resolve(undefined))
  })
  if (!line) throw new Error('The sandbox ended before it was ready.')
  const files = JSON.parse(line) as { kubeconfig: string; adminKubeconfig: string }
  return {
    name,
    kubeconfig: readFileSync(files.kubeconfig, 'utf8'),
    kubeconfigFile: files.kubeconfig,
    admin: new Cluster(readFileSync(files.adminKubeconfig, 'utf8')),
    end,
    stop: async () => {
      await end()
      await forget(name)
    },
  }
}
