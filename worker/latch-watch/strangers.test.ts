import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { watchNow } from '@/lib/services/latch/watch-now'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { as } from '@/testenv/deciding'
import { until } from '@/testenv/process'
import { MD } from '@/testenv/suites/watching'
import { plannerConsumer } from '../planner'
import { startWorker, type Worker } from '../worker'
import { latchWatchConsumer } from './index'
import { Strangers } from './strangers'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })
useTestDatabase()
let cluster: SandboxTestCluster
let clusterId: string
let worker: Worker | null = null

beforeAll(async () => {
  cluster = await sandboxTestCluster({ kubernetes: 'v1.29.14', speed: 10 })
  clusterId = (await addCluster(as('admin'), { name: 'old', kubeconfig: cluster.kubeconfig })).clusterId
  worker = await startWorker({ consumers: [latchWatchConsumer, plannerConsumer], parts: [] })
  await installLatch(as('admin'), { clusterId, governs: 'all' })
})
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
  await until('the watch to know it', async () => (await row())?.watched != null, { every: 50 })
  const patch = (body: object) => cluster.admin.patch(MD, machineDeployment, namespace, 'merge', body as never)
  const held = () =>
    until(
      `${name} to be paused`,
      async () => HELD in ((await cluster.admin.get(MD, machineDeployment, namespace)).metadata.annotations ?? {}),
      { every: 20 },
    )
  return {
    ...{ uid, row, held },
    object: () => cluster.admin.get(MD, machineDeployment, namespace),
    change: () => patch({ spec: { template: { spec: { version: 'v1.34.1' } } } }),
    free: () => patch({ metadata: { annotations: { [HELD]: null, [PAUSED]: null } } }),
  }
}

test('a group whose row is a copy’s is paused all the same, keeps nobody from watching, and is its own when the copy is gone', async () => {
  const [mine, theirs, third] = [await group('mine'), await group('theirs'), await group('third')]
  const copy = await db().managementCluster.create({ data: { name: 'copy', server: 'https://copy:6443' } })
  const ofCopy = { clusterId: copy.id }
  await db().clusterCredential.create({ data: { ...ofCopy, sealed: Buffer.from([0]), keyId: 'none' } })
  await db().group.updateMany({ where: { id: { in: [theirs.uid, third.uid] } }, data: ofCopy })
  await db().stream.update({
    where: { clusterId_resource: { clusterId, resource: 'machinedeployments.cluster.x-k8s.io' } },
    data: { elsewhere: 2, elsewhereIn: [copy.id] },
  })
  // Looked at as it is, from here on.
  const before = async () =>
    (await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })).watchLookedAt?.getTime()
  for (let round = 0; round < 2; round++) {
    const at = await before()
    await until('all to be looked at', async () => (await before()) !== at, { every: 100 })
  }
  for (const of of [mine, theirs]) {
    await of.change()
    await of.held()
    await of.free()
    await of.held()
  }
  expect(await watchNow(clusterId)).toMatchObject({ down: null, unpaused: [] })
  const told = { clusterId, targetId: theirs.uid, action: 'change.held' }
  await until('both times to be on record', async () => (await db().auditEvent.count({ where: told })) === 2, {
    every: 50,
  })
  expect(await theirs.row()).toMatchObject(ofCopy)
  // Several are looked at at once: who is a stranger stays one.
  const strangers = new Strangers()
  await strangers.among(clusterId, [theirs.uid], new Map())
  await strangers.among(clusterId, [randomUUID()], new Map())
  expect(strangers.has(await theirs.object())).toBe(true)
  // Nothing is written to it any more: that it is its own is found all the same.
  await db().group.deleteMany({ where: ofCopy })
  await db().clusterCredential.delete({ where: ofCopy })
  // Changed before it is looked at by a row of its own: what it was is remembered.
  await third.change()
  await until('it to be followed here', async () => (await theirs.row())?.clusterId === clusterId, {
    ms: 60_000,
    every: 50,
  })
  await third.held()
  await until(
    'it to wait',
    async () => (await db().change.count({ where: { clusterId, groupId: theirs.uid, state: 'waiting' } })) > 0,
    { ms: 60_000, every: 50 },
  )
})
