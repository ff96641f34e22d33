import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { as } from '@/testenv/deciding'
import { until } from '@/testenv/process'
import { MD } from '@/testenv/suites/watching'
import { plannerConsumer } from '../planner'
import { startWorker, type Worker } from '../worker'
import { latchWatchConsumer } from './index'

// What is remembered in a process goes with it: each start of a worker here is one of another process.
vi.mock('./strangers', async (original) => {
  const there = await original<typeof import('./strangers')>()
  return { ...there, strangersOf: () => new there.Strangers() }
})
vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })
useTestDatabase()
let cluster: SandboxTestCluster
let clusterId: string
let worker: Worker | null = null
const start = () => startWorker({ consumers: [latchWatchConsumer, plannerConsumer], parts: [] })

beforeAll(async () => {
  cluster = await sandboxTestCluster({ kubernetes: 'v1.29.14', speed: 10 })
  clusterId = (await addCluster(as('admin'), { name: 'old', kubeconfig: cluster.kubeconfig })).clusterId
  worker = await start()
  // There before anybody watches.
  groups.set(true, await group('theirs')).set(false, await group('own'))
  await new Promise((r) => setTimeout(r, 1_500))
  await installLatch(as('admin'), { clusterId, governs: 'all' })
})
const groups = new Map<boolean, Awaited<ReturnType<typeof group>>>()
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await cluster?.stop()
})

async function group(name: string) {
  const namespace = await cluster.namespace()
  const { machineDeployment } = await cluster.workloadCluster({
    ...{ namespace, name, version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 2 } },
  })
  const { uid } = (await cluster.admin.get(MD, machineDeployment, namespace)).metadata
  const row = () => db().group.findUnique({ where: { id: uid } })
  const object = () => cluster.admin.get(MD, machineDeployment, namespace)
  const change = () =>
    cluster.admin.patch(MD, machineDeployment, namespace, 'merge', {
      spec: { template: { spec: { version: 'v1.34.1' } } },
    } as never)
  const isHeld = async () => HELD in ((await object()).metadata.annotations ?? {})
  return { uid, row, object, change, isHeld }
}

test.each([false, true])(
  'a group whose row is a copy’s (%s), changed while no worker was there, is paused when one is',
  async (copied) => {
    const theirs = groups.get(copied)!
    await until('the watch to know it', async () => (await theirs.row())?.watched != null, { every: 50 })
    const copy = await db().managementCluster.create({ data: { name: `copy ${copied}`, server: 'https://copy:6443' } })
    await db().clusterCredential.create({ data: { clusterId: copy.id, sealed: Buffer.from([0]), keyId: 'none' } })
    if (copied) await db().group.update({ where: { id: theirs.uid }, data: { clusterId: copy.id } })
    const before = async () =>
      (await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })).watchLookedAt?.getTime()
    for (let round = 0; round < 2; round++) {
      const at = await before()
      await until('all to be looked at', async () => (await before()) !== at, { every: 100 })
    }
    expect(await theirs.isHeld()).toBe(false)
    await worker!.stop()
    await theirs.change()
    worker = await start()
    const at = await before()
    await until('all to be looked at by the new one', async () => (await before()) !== at, { every: 100 })
    await until('it to be paused', theirs.isHeld, { ms: 15_000, every: 50 })
  },
)
