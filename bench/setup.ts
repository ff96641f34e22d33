import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pool, closeDatabase } from '@/lib/db/client'
import { startEmbedded } from '@/lib/db/embedded'
import { migrate } from '@/lib/db/migrate'
import type { Capabilities } from '@/lib/domain/capabilities'

export interface Bench {
  apiUrl: string
  bytesPerMachine: number
  clusterId: string
  /** Changes so many machines on the fake API server. */
  change(count: number): void
  stop(): Promise<void>
}

/** A fresh database, a fake API server in a process of its own, and one management cluster in the table. */
export async function setUp(machines: number): Promise<Bench> {
  const dir = mkdtempSync(join(tmpdir(), 'drydock-bench-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
  const server = await startEmbedded({ dir })
  process.env.DATABASE_URL = server.url
  await migrate(server.url)
  const api = fork(join(import.meta.dirname, 'fake-api.ts'), [String(machines)], { execArgv: ['--import', 'tsx'] })
  const { port, bytesPerMachine } = await told(api)
  const apiUrl = `http://127.0.0.1:${port}`
  const clusterId = randomUUID()
  await pool().query(`INSERT INTO management_cluster (id, name, server) VALUES ($1, 'bench', $2)`, [clusterId, apiUrl])
  await pool().query(
    `INSERT INTO cluster_credential (cluster_id, sealed, key_id, updated_at) VALUES ($1, '\\x00', 'none', now())`,
    [clusterId],
  )
  return {
    apiUrl,
    bytesPerMachine,
    clusterId,
    change: (count) => void api.send({ change: count }),
    stop: async () => {
      api.disconnect()
      await closeDatabase()
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function told(api: ChildProcess): Promise<{ port: number; bytesPerMachine: number }> {
  return new Promise((resolve, reject) => {
    api.once('message', (message) => resolve(message as { port: number; bytesPerMachine: number }))
    api.once('exit', (code) => reject(new Error(`The fake API server ended with code ${code}.`)))
  })
}

/** What the fake API server serves; nothing of it is asked for in the measured time. */
export const CAPABILITIES: Capabilities = {
  kubernetes: 'v1.34.2',
  clusterApi: { version: 'v1.14.0', apiVersion: 'v1beta2', served: ['v1beta2'], contracts: ['v1beta2'] },
  providers: [],
  openshift: null,
  gates: { inPlaceUpdates: { state: 'unknown', how: '' }, runtimeSdk: { state: 'unknown', how: '' } },
  latch: { policy: null, webhook: false, guard: false },
  resources: {
    'machinedeployments.cluster.x-k8s.io': 'v1beta2',
    'machinesets.cluster.x-k8s.io': 'v1beta2',
    'machines.cluster.x-k8s.io': 'v1beta2',
  },
  missingPermissions: [],
  identity: { username: 'bench', groups: [] },
}

export async function until(done: () => Promise<boolean>, seconds: number, what: string): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error(`${what} took longer than ${seconds} s.`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

/** Memory in use, without what nobody refers to any more. */
export function memory(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage()
}

export const megabytes = (bytes: number): number => Math.round((bytes / 1024 / 1024) * 10) / 10
