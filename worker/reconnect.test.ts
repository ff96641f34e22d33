import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { disconnectCluster } from '@/lib/services/clusters/disconnect-cluster'
import { replaceCredentials } from '@/lib/services/clusters/replace-credentials'
import { systemCtx } from '@/lib/services/context'
import { failure, latchedCluster } from '@/testenv/deciding'
import { plannerConsumer } from './planner'
import { startWorker } from './worker'

useTestDatabase()
const at = latchedCluster()
const ctx = systemCtx('test')

const seen = async (clusterId: string) => ({
  machines: await db().machine.count({ where: { clusterId } }),
  groups: await db().group.count({ where: { clusterId } }),
  workloads: await db().workloadCluster.count({ where: { clusterId } }),
  waiting: await db().change.count({ where: { clusterId, state: 'waiting' } }),
})

test('a cluster that is connected again, under another name or its old one, is seen whole', async () => {
  const held = await at.held()
  await db().change.deleteMany({})
  await db().group.deleteMany({})
  const machines = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machines' }
  const there = (await at.cluster.admin.list(machines, held.namespace, {})).items.length
  const whole = { machines: there, groups: 2, workloads: 1, waiting: 1 }
  /** Only while it follows: in one process the worker that lets go of a cluster closes the client of a disconnect, too. */
  const follows = async (id: string): Promise<void> => {
    const worker = await startWorker({ consumers: [plannerConsumer], parts: [] })
    try {
      await expect.poll(() => seen(id), { timeout: 60_000 }).toEqual(whole)
    } finally {
      await worker.stop()
    }
  }
  await follows(at.clusterId)
  await disconnectCluster(ctx, { clusterId: at.clusterId, confirm: 'm' })
  const nothing = { machines: 0, groups: 0, workloads: 0, waiting: 0 }
  expect(await seen(at.clusterId)).toEqual(nothing)
  const { clusterId: again } = await addCluster(ctx, { name: 'again', kubeconfig: at.cluster.kubeconfig })
  await follows(again)
  expect(await seen(at.clusterId)).toEqual(nothing)
  expect(await db().change.count({ where: { clusterId: at.clusterId, state: 'superseded' } })).toBe(1)
  const input = { clusterId: at.clusterId, kubeconfig: at.cluster.kubeconfig }
  expect(await failure(replaceCredentials(ctx, input))).toMatchObject({
    ...{ code: 'conflict', message: 'This cluster is connected already, as again.' },
  })
  expect(await db().clusterCredential.count()).toBe(1)
  await disconnectCluster(ctx, { clusterId: again, confirm: 'again' })
  await replaceCredentials(ctx, input)
  await follows(at.clusterId)
}, 240_000)
