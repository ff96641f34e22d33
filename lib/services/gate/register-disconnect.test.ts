import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { KubeClient, KubeError } from '@/lib/kubernetes/types'
import { latchedCluster } from '@/testenv/deciding'
import { startGate, type Gate } from '@/worker/gate'
import { kubeClientFor } from '../clusters/connection'
import { disconnectCluster, type DisconnectPlan } from '../clusters/disconnect-cluster'
import { systemCtx } from '../context'
import { registerGate } from './register-gate'

useTestDatabase()
const at = latchedCluster()
const ctx = systemCtx('test')
const EXTENSIONS = { group: 'runtime.cluster.x-k8s.io', version: 'v1beta2', plural: 'extensionconfigs' }

// Keys and the gate's certificate of this file alone.
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir
let gate: Gate
beforeAll(async () => void (gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })))
afterAll(async () => {
  await gate?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const waitingForALock = async (): Promise<number> => {
  const [row] = await db().$queryRaw<{ n: number }[]>`
    SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'`
  return row!.n
}

test('a disconnect waits for a registration that is being written, and then lets it go, too', async () => {
  const { clusterId } = at
  const client = await kubeClientFor(clusterId)
  const patch: KubeClient['patch'] = client.patch
  let disconnecting: Promise<DisconnectPlan> | undefined
  client.patch = async (...args) => {
    client.patch = patch
    disconnecting = disconnectCluster(ctx, { clusterId, confirm: 'm' })
    await expect.poll(waitingForALock, { timeout: 15_000 }).toBe(1)
    return patch(...args)
  }
  // Its last look at the gate may find the cluster disconnected.
  await registerGate(ctx, { clusterId, url: gate.url }).catch(() => undefined)
  expect((await disconnecting)?.registered).toBe(true)
  const left = at.cluster.admin.get(EXTENSIONS, 'drydock').catch((error: KubeError) => error.code)
  expect(await left).toBe(404)
  const { gateState } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  expect(gateState).toBe('unregistered')
  const said = await db().auditEvent.findMany({ where: { clusterId }, orderBy: { id: 'asc' } })
  expect(said.map(({ action, result }) => `${action} ${result}`).slice(1)).toEqual([
    ...['gate.register ok', 'gate.registered ok', 'cluster.disconnect ok', 'cluster.disconnected ok'],
  ])
})
