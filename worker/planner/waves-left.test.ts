import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { listRuns } from '@/lib/services/waves/list-runs'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { policyWords } from '@/lib/services/clusters/policy-words'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { membership } from '@/lib/services/waves/membership'
import { misplaced, writePlaces } from '@/lib/services/waves/placing'
import { runsNow } from '@/lib/services/waves/runs'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { canaryClusters, names, policy } from '@/testenv/canaries'
import { settlingRollouts } from '@/testenv/settling'
import { ada, bo, cy } from '@/testenv/timed'
import { placed, seen, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const cluster = wavedCluster()
const { place, round: wavesRound } = cluster
const { away, round } = settlingRollouts(cluster)
const { canaries, kept, elsewhere, disconnect, back, found, waits } = canaryClusters(cluster)

const STOPS = { stopsAt: 1, readyWithin: '15m' }
type Ill = Awaited<ReturnType<typeof canaries>>['ill']
async function stops(ill: Ill): Promise<void> {
  await away(ill, 30)
  expect(await round(ill)).toMatchObject({ state: 'waiting' })
}

describe('no disconnect opens a wave', () => {
  test.each(['stopped by itself', 'rejected on its way', 'under way'] as const)(
    'of two canaries one is through; the other was %s when its cluster was disconnected',
    async (how) => {
      const { ill, next, run } = await canaries(STOPS)
      if (how === 'stopped by itself') await stops(ill)
      if (how === 'rejected on its way')
        await db().change.update({ where: { id: ill.change.id }, data: { state: 'rejected' } })
      await kept(next)
      await disconnect((await elsewhere(ill)).clusterId)
      await waits(next)
      expect((await placed(next)).why).toContain(
        `${ill.name} (its cluster was disconnected before it was done: connect it again, or do not wait for its wave)`,
      )
      const { runs } = await listRuns(ada)
      const [first] = runs.find(({ policy: of }) => of.id === run.policyId)!.waves
      expect(first!.open).toMatchObject([{ at: expect.stringContaining('disconnected') as string, changeId: null }])
      await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it is gone' })
      await wavesRound()
      expect(await placed(next)).toMatchObject({ state: 'open' })
    },
    120_000,
  )

  test.each(['version v1.34.1', 'content x'])(
    'also when it is connected again, and has %s, and is not Ready; until it is',
    async (wish) => {
      const { well, ill, next } = await canaries(STOPS)
      await stops(ill)
      const ids = { in: [well, ill, next].map(({ change }) => change.id) }
      await db().change.updateMany({ where: { id: ids }, data: { wish, wishExact: wish } })
      await kept(next)
      const there = await elsewhere(ill)
      await disconnect(there.clusterId)
      // At once, and before anybody has looked at it.
      await back(there)
      await waits(next)
      // As it is known that it is there.
      await policy({ select: names(ill), reasonRequired: true })
      await waits(next)
      expect((await placed(next)).why).toContain(`${ill.name} (stopped, never counted as done, and over`)
      await db().change.update({ where: { id: ill.change.id }, data: { stoppedAt: null, stoppedBy: null } })
      await waits(next)
      expect((await placed(next)).why).toContain(`${ill.name} (updated, and not Ready yet)`)
      await db().group.update({ where: { id: there.group.id }, data: { availableReplicas: 1 } })
      await wavesRound()
      expect(await placed(next)).toMatchObject({ state: 'open' })
    },
    120_000,
  )

  test('also for who does not know yet that its group is there again, where another worker has placed it', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    // It is known that its group is not there, and stays so for seconds.
    await policy({ select: names(ill), reasonRequired: true })
    await waits(next)
    await back(there, { rollingOut: true, upToDateReplicas: 0 })
    await found(ill)
    await waits(next)
    for (const run of await runsNow(db(), membership)) await db().$transaction((tx) => writePlaces(tx, misplaced(run)))
    await waits(next)
  }, 120_000)

  test('also where it is disconnected once more before what it wants was placed, and connected again after that', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await back(there, { rollingOut: true, upToDateReplicas: 0 })
    await found(ill)
    await disconnect(there.clusterId)
    await policy({ select: names(ill), reasonRequired: true })
    await waits(next)
    await back(there)
    await policy({ select: names(ill), approvals: 1 })
    await waits(next)
  }, 120_000)
})

describe('nor does', () => {
  /** Nothing of the other canary has begun. */
  async function unbegun() {
    const [well, ill, next] = [await cluster.running(), await cluster.slow(), await cluster.slow()]
    const waves = [
      { name: 'canary', select: names(well, ill) },
      { name: 'next', select: names(next) },
    ]
    await policy({ select: names(well, ill, next), waves })
    await db().change.update({ where: { id: well.change.id }, data: { state: 'done', finishedAt: new Date() } })
    await kept(next)
    return { well, ill, next }
  }

  test.each(['waited', 'was rejected'])(
    'what %s then, and has it by now',
    async (how) => {
      const { ill, next } = await unbegun()
      const { id: changeId, fingerprint } = ill.change
      if (how === 'was rejected') await rejectChange(bo, { changeId, fingerprint, reason: 'no' })
      const there = await elsewhere(ill)
      await disconnect(there.clusterId)
      await waits(next)
      // Not Ready, or against somebody's word.
      await back(there, { availableReplicas: how === 'waited' ? 0 : 1 })
      await policy({ select: names(ill), reasonRequired: true })
      await waits(next)
    },
    120_000,
  )

  test.each([{}, { rollingOut: true, upToDateReplicas: 0 }])(
    'what is connected again under another name %#',
    async (stands) => {
      const { ill, next } = await canaries()
      await kept(next)
      const there = await elsewhere(ill)
      await disconnect(there.clusterId)
      const data = { name: `again-${randomUUID()}`, server: 'https://y' }
      const { id: clusterId } = await db().managementCluster.create({ data })
      await back({ ...there, clusterId }, stands)
      await policy({ select: names(ill), reasonRequired: true })
      await waits(next)
    },
    120_000,
  )

  test('what was written once more, and not placed yet as its cluster was disconnected', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    const there = await elsewhere(ill)
    await found(ill)
    await db().change.update({ where: { id: ill.change.id }, data: { state: 'superseded', finishedAt: new Date() } })
    await disconnect(there.clusterId)
    await waits(next)
  }, 120_000)

  test('a restart of which each has its own date, when the other canary is through after all', async () => {
    const { well, ill, next } = await canaries()
    const at = (seconds: number) => new Date(Date.now() - seconds * 1000)
    const restart = (of: typeof well, wishExact: string, data: object) =>
      db().change.update({ where: { id: of.change.id }, data: { wish: 'content restart', wishExact, ...data } })
    await restart(well, 'A1', { detectedAt: at(600), state: 'running', finishedAt: null })
    await restart(ill, 'A2', { detectedAt: at(600) })
    await restart(next, 'A3', {})
    await kept(next)
    await disconnect((await elsewhere(ill)).clusterId)
    await restart(ill, 'A2', { finishedAt: at(300) })
    await restart(next, 'A3', { detectedAt: at(200) })
    await waits(next)
    await restart(well, 'A1', { state: 'done', finishedAt: at(1) })
    await waits(next)
    expect((await placed(next)).why).toContain(`${ill.name} (its cluster was disconnected`)
  }, 120_000)
})

test.each(['disconnected once more', 'deleted'])(
  'what was seen to have it since is waited for no more: %s',
  async (how) => {
    const { well, ill, next } = await canaries()
    const first = (data: object) => db().change.update({ where: { id: well.change.id }, data })
    await first({ state: 'running', finishedAt: null })
    await kept(next)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await back(there)
    await waits(next)
    await db().group.update({ where: { id: there.group.id }, data: { availableReplicas: 1 } })
    await waits(next)
    if (how === 'deleted') await db().group.delete({ where: { id: there.group.id } })
    else await disconnect(there.clusterId)
    await policy({ select: names(ill), reasonRequired: true })
    await first({ state: 'done', finishedAt: new Date() })
    await wavesRound()
    expect(await placed(next)).toMatchObject({ state: 'open' })
  },
  120_000,
)

test('what was rejected then, and is changed back since, counts for what it has', async () => {
  const { ill, next } = await canaries()
  await kept(next)
  const there = await elsewhere(ill)
  // A change of its content, of which nothing had begun, after it was through.
  await db().change.update({ where: { id: ill.change.id }, data: { state: 'done', finishedAt: new Date() } })
  const content = { wish: 'content x', wishExact: 'x', toVersion: null }
  const last = (data: object) =>
    db().change.updateMany({ where: { groupId: ill.change.groupId, state: 'waiting' }, data: { ...content, ...data } })
  await found(ill)
  await last({ state: 'rejected' })
  await disconnect(there.clusterId)
  await back(there)
  await found(ill)
  await last({ state: 'reverted' })
  await policy({ select: names(ill), reasonRequired: true })
  await wavesRound()
  expect(await placed(next)).toMatchObject({ state: 'open' })
}, 120_000)

test.each(['pending', 'unreachable', 'connected'])(
  'nobody is told that it is gone before it was listed: %s',
  async (state) => {
    const { ill, next } = await canaries()
    await kept(next)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await db().managementCluster.update({ where: { id: there.clusterId }, data: { state } })
    await waits(next)
    expect((await placed(next)).why).toContain('what it is now is not known yet')
  },
  120_000,
)

test('what is gone since its cluster is connected again says so; what wants no machine any more is not waited for', async () => {
  const { ill, next } = await canaries()
  await kept(next)
  const there = await elsewhere(ill)
  await disconnect(there.clusterId)
  await db().managementCluster.update({ where: { id: there.clusterId }, data: { state: 'connected' } })
  const resource = 'machinedeployments.cluster.x-k8s.io'
  await db().stream.create({ data: { clusterId: there.clusterId, resource, state: 'watching' } })
  await waits(next)
  expect((await placed(next)).why).toContain('not there since that is connected again: do not wait for its wave')
  await back(there, { desiredReplicas: 0, replicas: 0, upToDateReplicas: 0 })
  await policy({ select: names(ill), reasonRequired: true })
  await wavesRound()
  expect(await placed(next)).toMatchObject({ state: 'open' })
}, 120_000)

test('what is wanted again with another date, long after a cluster was left in the middle of that, does not wait for it', async () => {
  const { well, ill, next } = await canaries()
  const [restart, others] = ['content restart', { in: [well.change.id, next.change.id] }]
  const all = { in: [well.change.id, ill.change.id, next.change.id] }
  await db().change.updateMany({ where: { id: all }, data: { wish: restart, wishExact: 'A' } })
  await kept(next)
  await disconnect((await elsewhere(ill)).clusterId)
  await waits(next)
  const long = new Date(Date.now() - 300 * 86_400_000)
  await db().change.update({ where: { id: ill.change.id }, data: { detectedAt: long, finishedAt: long } })
  await waits(next)
  // One that is through with the date of then is no one of this run.
  await db().change.update({ where: { id: well.change.id }, data: { detectedAt: long, finishedAt: long } })
  await db().change.update({ where: { id: next.change.id }, data: { wishExact: 'B' } })
  await waits(next)
  expect((await placed(next)).why).not.toContain(ill.name)
  await db().change.updateMany({ where: { id: others }, data: { wishExact: 'B' } })
  await wavesRound()
  expect(await placed(next)).toMatchObject({ state: 'open' })
}, 120_000)

test('what somebody wrote out of the waves before its cluster was disconnected holds nothing by that', async () => {
  const { well, ill, next, run } = await canaries()
  await kept(next)
  const rest = [well, next]
  const waves = rest.map((one, i) => ({ name: ['canary', 'next'][i], select: names(one) }))
  await savePolicy(cy, { policyId: run.policyId, version: 1, name: 'p', spec: { select: names(...rest), waves } })
  await place()
  expect(await placed(next)).toMatchObject({ state: 'open' })
  const { clusterId } = await elsewhere(ill)
  const { name } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  expect(await policyWords({ id: clusterId, name })).toEqual([])
  await disconnect(clusterId)
  await place()
  expect(await placed(next)).toMatchObject({ state: 'open' })
}, 120_000)

test('a canary whose labels are not known is waited for, in the wave in which it was placed', async () => {
  const { well, ill, next } = await canaries(STOPS)
  await stops(ill)
  for (const { change } of [well, ill, next]) {
    const { clusterId, namespace, workloadCluster: name } = change
    await db().workloadCluster.create({
      data: { ...{ clusterId, namespace, name }, id: randomUUID(), provider: 'cluster-api', labels: {} },
    })
  }
  await kept(next)
  const before = await placed(ill)
  const { clusterId, namespace, workloadCluster: name } = ill.change
  await db().workloadCluster.deleteMany({ where: { clusterId, namespace, name } })
  await policy({ select: { labels: { stage: 'prod' } }, reasonRequired: true })
  await waits(next)
  expect((await placed(next)).why).toContain(`${ill.name} (its labels are not known yet)`)
  await place()
  expect(await placed(ill)).toEqual(before)
}, 120_000)
