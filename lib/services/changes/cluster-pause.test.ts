import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { inputFor } from '@/testenv/deciding'
import { ago, fares, OLD } from '@/testenv/faring'
import type { Held } from '@/testenv/held'
import { pausesCluster } from '@/testenv/paused-cluster'
import { ada, row, says, timedCluster } from '@/testenv/timed'
import { stopFailing } from '@/worker/planner/failures'
import { forgetRows } from '../clusters/forget-rows'
import { getUpdate } from '../fleet/list-updates'
import { needsYou } from '../fleet/needs-you'
import { measured } from '../forecast/durations'
import { approveChange } from './approve-change'

// What the times come to in which somebody had a whole Cluster paused.
useTestDatabase()
const { at, look, slow, running, view } = timedCluster()

/** Of its Cluster: paused from then, until then. */
async function wasPaused(held: Held, since: Date, until: Date): Promise<void> {
  await pausesCluster(held)
  await pausesCluster(held, false)
  const { clusterId, namespace, workloadCluster: name } = held.change
  await db().clusterPause.updateMany({ where: { clusterId, namespace, name }, data: { since, until } })
}

test('each is kept, with when it began and ended, also where its row goes', async () => {
  const held = await at.held()
  const { clusterId, namespace, workloadCluster: name } = held.change
  const pauses = () => db().clusterPause.findMany({ where: { clusterId, namespace, name }, orderBy: { since: 'asc' } })
  await pausesCluster(held)
  expect(await pauses()).toMatchObject([{ until: null }])
  await pausesCluster(held, false)
  await pausesCluster(held)
  await db().workloadCluster.deleteMany({ where: { clusterId, namespace, name } })
  const kept = await pauses()
  expect(kept).toMatchObject([{ until: expect.any(Date) as Date }, { until: expect.any(Date) as Date }])
  for (const { since, until } of kept) expect(until! >= since).toBe(true)
})

test('they stand in the timeline of what was open then', async () => {
  const held = await at.held()
  await pausesCluster(held)
  const told = async () => (await getUpdate(ada, held.change.id)).timeline.map(({ text }) => text)
  expect(await told()).toContain('Somebody paused its whole Cluster: nothing of it goes on')
  expect(await told()).not.toContain('Its Cluster is not paused any more')
  await pausesCluster(held, false)
  expect(await told()).toContain('Its Cluster is not paused any more')
})

test('so do those of its own group, with who wrote them; what was there before is told elsewhere', async () => {
  const held = await at.held()
  const { id, groupId } = held.change
  const own = { annotation: false, spec: true, guarded: false }
  const pauses = (paused: boolean, by?: string) =>
    db().group.update({
      where: { id: groupId },
      data: { paused, ownPause: paused ? { ...own, ...(by ? { by } : {}) } : Prisma.DbNull },
    })
  const told = async () =>
    (await getUpdate(ada, id)).timeline.flatMap(({ text }) => (/pause/i.test(text) ? [text] : []))
  await pauses(true, 'drydock')
  await pauses(false)
  expect(await told()).toEqual([])
  await pauses(true, 'kubectl-edit')
  expect(await told()).toEqual(['Somebody paused it themselves, in the cluster (written by kubectl-edit).'])
  await pauses(false)
  await pauses(true)
  const gone = 'Somebody’s own pause of it is gone.'
  const all = ['Somebody paused it themselves, in the cluster (written by kubectl-edit).', gone]
  expect(await told()).toEqual([...all, 'Somebody paused it themselves.'])
  await db().groupPause.updateMany({ where: { groupId, until: null }, data: { since: ago(90) } })
  expect(await told()).toEqual(all)
})

test('what spans one took no longer for itself, and is no measure', async () => {
  const held = await running()
  const { clusterId, groupId, groupKind } = held.change
  await fares(held, 'a', { ...OLD, state: 'done', startedAt: ago(30), finishedAt: ago(25) })
  await fares(held, 'b', { ...OLD, state: 'done', startedAt: ago(10), finishedAt: ago(9) })
  await db().decision.updateMany({ where: { changeId: held.change.id }, data: { acceptedAt: ago(40) } })
  const updates = async () =>
    (await measured({ clusterId, groupId, groupKind, version: held.change.toVersion !== null })).durations.update
  expect((await updates()).map((ms) => Math.round(ms / 60_000)).sort()).toEqual([1, 5])
  // What failed, and was mended, took as long as whoever mended it; what failed once it was through did not.
  const fails = (machineName: string, at: number) =>
    db().machineProgress.updateMany({ where: { machineName, changeId: held.change.id }, data: { failedAt: ago(at) } })
  await fails('a', 27)
  await fails('b', 8)
  expect((await updates()).map((ms) => Math.round(ms / 60_000))).toEqual([1])
  await db().machineProgress.updateMany({ where: { changeId: held.change.id }, data: { failedAt: null } })
  await wasPaused(held, ago(29), ago(26))
  expect((await updates()).map((ms) => Math.round(ms / 60_000))).toEqual([1])
})

test('a machine that was being made has all of its time again after one', async () => {
  const held = await running()
  await says(held, { stopsAt: 1, readyWithin: '15m' })
  const making = { ready: false, available: false, state: 'provisioning', notReadySince: ago(20), createdAt: ago(20) }
  await fares(held, 'new', { startedAt: ago(20) }, making)
  await pausesCluster(held)
  const stopped = async () => {
    await stopFailing(await view())
    return (await row(held)).stoppedAt
  }
  expect(await stopped()).toBeNull()
  await pausesCluster(held, false)
  await db().clusterPause.updateMany({ data: { since: ago(19), until: ago(5) } })
  expect(await stopped()).toBeNull()
  await db().clusterPause.updateMany({ data: { since: ago(19), until: ago(16) } })
  expect(await stopped()).not.toBeNull()

  // What it stopped for stands, whoever pauses its Cluster again.
  await pausesCluster(held)
  await db().change.update({ where: { id: held.change.id }, data: { state: 'waiting', heldBy: 'none' } })
  expect((await needsYou(ada, {})).find(({ id }) => id === held.change.id)?.sentence).toMatch(
    /^It stopped by itself: .*\. Somebody paused its whole Cluster, and has to take that away$/,
  )
})

test('of one management cluster alone, what one keeps there is in needs you, however many others have', async () => {
  const held = await slow()
  await pausesCluster(held)
  await approveChange(ada, inputFor(held))
  await look(held)
  await db().group.update({ where: { id: held.change.groupId }, data: { held: null, heldSince: null } })
  const other = randomUUID()
  await db().managementCluster.create({ data: { id: other, name: 'other', server: 'https://x' } })
  const paused = { namespace: 'n', name: 'w', paused: true, labels: {}, provider: 'cluster.x-k8s.io', phase: '' }
  await db().workloadCluster.create({ data: { id: other, clusterId: other, ...paused } })
  await db().workloadCluster.updateMany({ data: { pausedSeenAt: ago(21) } })
  const {
    id: _id,
    number: _number,
    ...like
  } = (await row(held)) as Awaited<ReturnType<typeof row>> & { number?: number }
  await db().change.createMany({
    data: Array.from({ length: 100 }, (_, i) => ({
      ...{ ...like, clusterId: other, groupId: randomUUID(), namespace: 'n', workloadCluster: 'w' },
      detectedAt: ago(100 + i),
    })) as never,
  })
  const mine = (await needsYou(ada, { cluster: 'm' })).map(({ id }) => id)
  expect(mine).toContain(held.change.id)
})

test('disconnected, nobody knows whether one goes on, and nobody is told that it is over', async () => {
  const held = await at.held()
  await pausesCluster(held)
  // All of it within one millisecond is none of it.
  const { clusterId, namespace, workloadCluster: name, detectedAt } = held.change
  const since = new Date(detectedAt.getTime() + 1)
  await db().clusterPause.updateMany({ where: { clusterId, namespace, name }, data: { since } })
  await db().$transaction((tx) => forgetRows(tx, at.clusterId))
  const told = (await getUpdate(ada, held.change.id)).timeline.map(({ text }) => text)
  expect(told).toContain('Somebody paused its whole Cluster: nothing of it goes on')
  expect(told).not.toContain('Its Cluster is not paused any more')
})
