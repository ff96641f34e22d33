import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { KubeClient } from '@/lib/kubernetes/types'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { audited, latchedCluster } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { GOVERNED } from '@/testenv/latch'
import { newestOf } from '@/testenv/reconnected'
import { plannerConsumer } from './planner'
import { startWorker } from './worker'

useTestDatabase()
const at = latchedCluster()
const LATE_MS = 5_000
const [[labelKey, labelValue]] = Object.entries(GOVERNED) as [[string, string]]

/** Its list of namespaces takes its time. */
const late = (client: KubeClient): KubeClient => ({
  ...client,
  async *pages(resource, ...rest) {
    if (resource.plural === 'namespaces') await setTimeout(LATE_MS)
    yield* client.pages(resource, ...rest)
  },
})

test('a worker begins, and namespaces are listed late: what began unheld before is on record, and not taken for let go', async () => {
  const held = await at.held()
  const { clusterId, groupId, id } = held.change
  await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'policy' } })
  const governs = { governs: 'namespace-label', labelKey, labelValue }
  await db().policy.upsert({ where: { clusterId }, create: { clusterId, ...governs }, update: governs })
  await db().change.delete({ where: { id } })
  // As the last worker left it.
  await db().group.update({ where: { id: groupId }, data: { governed: true, letGo: 'what it was', held: null } })
  const client = await kubeClientFor(clusterId)
  const annotations = { [HELD]: null, [PAUSED]: null }
  const template = { spec: { minReadySeconds: 1_000_000 } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { template } })
  await client.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations } })
  const group = () => db().group.findUniqueOrThrow({ where: { id: groupId } })
  const clientFor = () => Promise.resolve(late(client))
  const worker = await startWorker({ consumers: [plannerConsumer], parts: [], clientFor })
  try {
    await expect
      .poll(async () => (await group()).resourceVersion, { timeout: 20_000 })
      .not.toBe(held.change.resourceVersion)
    expect(await group()).toMatchObject({ governed: true, letGo: 'what it was' })
    await expect.poll(() => db().change.count({ where: { groupId } }), { timeout: 30_000 }).toBe(1)
  } finally {
    await worker.stop()
    await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'none' } })
  }
  expect(await audited(await newestOf(held))).toContain('change.not-held ok')
  expect(await group()).toMatchObject({ governed: true, letGo: 'what it was' })
}, 90_000)
