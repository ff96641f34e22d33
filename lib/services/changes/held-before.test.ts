import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { timedCluster } from '@/testenv/timed'
import { heldBefore } from './held-before'

useTestDatabase()
const { at } = timedCluster()
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)

test('only what stood still before anybody here knew of it is not said to have been written when it was seen', async () => {
  const { change } = await at.held()
  const { id, clusterId, groupId } = change
  const group = (data: object) => db().group.update({ where: { id: groupId }, data })
  const is = async () => heldBefore(db(), id)
  await group({ held: 'waiting', heldSince: change.detectedAt })
  expect(await is()).toBe(false)
  await group({ heldSince: ago(9) })
  expect(await is()).toBe(true)
  // Changed once more while it was held, or rolled back from here: the one before had been followed until then.
  const { namespace, groupKind, groupName, workloadCluster, fingerprint, summary, resourceVersion } = change
  const of = {
    clusterId,
    groupId,
    namespace,
    groupKind,
    groupName,
    workloadCluster,
    fingerprint,
    summary,
    resourceVersion,
  }
  const over = { state: 'superseded', detectedAt: ago(9), finishedAt: change.detectedAt }
  const rest = { changeSet: {}, outlook: {}, heldBy: 'latch', machines: 1 }
  const before = await db().change.create({ data: { ...of, ...over, ...rest } })
  expect(await is()).toBe(false)
  // Disconnected in between.
  await db().change.update({ where: { id: before.id }, data: { finishedAt: ago(5) } })
  expect(await is()).toBe(true)
  // Paused by somebody, which was seen before it was changed.
  await group({ paused: true })
  await db()
    .$executeRaw`UPDATE machine_group SET paused_seen_at = ${ago(8)} WHERE id = ${groupId}::uuid AND cluster_id = ${clusterId}::uuid`
  expect(await is()).toBe(false)
  // Its whole Cluster was, and that was seen before: its manager says that it stands still since then.
  await group({ paused: false, heldSince: ago(9) })
  expect(await is()).toBe(true)
  await db().workloadCluster.create({
    data: { id, clusterId, namespace, name: workloadCluster, paused: true, provider: 'cluster-api' },
  })
  await db().workloadCluster.update({ where: { id }, data: { pausedSeenAt: ago(8) } })
  expect(await is()).toBe(false)
})
