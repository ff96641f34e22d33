import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients, kubeClientFor } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { watchNow } from '@/lib/services/latch/watch-now'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { bound } from '@/testenv/bound'
import { as } from '@/testenv/deciding'
import { until } from '@/testenv/process'
import { MD } from '@/testenv/suites/watching'
import { startWorker, type Worker } from '../worker'
import { latchWatchConsumer } from './index'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()
let cluster: SandboxTestCluster
let clusterId: string
let worker: Worker | null = null

/** Whose pause is not answered before the end, and how often it was tried. */
let hanging: string | null = null
let tried = 0
let end: () => void = () => undefined
const ended = new Promise<never>((_, reject) => (end = () => reject(new KubeUnreachable('no answer', 'PATCH'))))
ended.catch(() => undefined)

async function clientFor(id: string): Promise<KubeClient> {
  const client = await kubeClientFor(id)
  const patch: KubeClient['patch'] = (resource, name, ...more) => {
    if (name !== hanging) return client.patch(resource, name, ...more)
    tried++
    return ended
  }
  return { ...bound(client), patch }
}
const start = async () => void (worker = await startWorker({ consumers: [latchWatchConsumer], parts: [], clientFor }))

beforeAll(async () => {
  cluster = await sandboxTestCluster({ kubernetes: 'v1.29.14', speed: 10 })
  clusterId = (await addCluster(as('admin'), { name: 'old', kubeconfig: cluster.kubeconfig })).clusterId
  await start()
  await installLatch(as('admin'), { clusterId, governs: 'all', labelKey: null, labelValue: null })
})
afterAll(async () => {
  end()
  await worker?.stop()
  await closeClients()
  await cluster?.stop()
})

async function group() {
  const namespace = await cluster.namespace()
  const { machineDeployment: name } = await cluster.workloadCluster({
    ...{ namespace, name: `w${namespace.slice(2)}`, version: 'v1.34.0' },
    ...{ controlPlane: { replicas: 1 }, workers: { replicas: 1 } },
  })
  const { uid } = (await cluster.admin.get(MD, name, namespace)).metadata
  const isKnown = async () => (await db().group.findUnique({ where: { id: uid } }))?.watched != null
  await until('it to be let be', isKnown, { ms: 40_000 })
  const isHeld = async () => HELD in ((await cluster.admin.get(MD, name, namespace)).metadata.annotations ?? {})
  const bump = () =>
    cluster.admin.patch(MD, name, namespace, 'merge', {
      spec: { template: { spec: { version: 'v1.34.1' } } },
    } as never)
  return { name, isHeld, bump }
}

const down = async () => (await watchNow(clusterId))?.down

test('a pause that is not answered keeps no other group from being paused; of that one nobody says that it is watched', async () => {
  const [a, b] = [await group(), await group()]
  await until('it to be watched', async () => (await down()) === null, { ms: 40_000 })
  // Changed while no worker was there: it is found by the first look at all of them.
  await worker!.stop()
  hanging = a.name
  await a.bump()
  await start()
  await until('its pause to hang', () => Promise.resolve(tried > 0), { ms: 40_000 })
  await b.bump()
  await until('the other one to be paused', b.isHeld, { ms: 40_000 })
  const isFirst = async () => (await down())?.includes('looked at for the first time') ?? false
  await until('it to be said that they are being looked at', isFirst, { ms: 40_000 })
  expect(tried).toBe(1)
  hanging = null
  end()
  await until('it to be paused', a.isHeld, { ms: 40_000 })
  await until('all to be watched', async () => (await down()) === null, { ms: 40_000 })
})
