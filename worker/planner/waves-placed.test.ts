import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { beginWave } from '@/lib/services/waves/begin-wave'
import { membership } from '@/lib/services/waves/membership'
import { misplaced, writePlaces } from '@/lib/services/waves/placing'
import { runsNow } from '@/lib/services/waves/runs'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { takeBackBegin } from '@/lib/services/waves/take-back-begin'
import { waitForWave } from '@/lib/services/waves/wait-for-wave'
import { canaryClusters, names, policy } from '@/testenv/canaries'
import type { Held } from '@/testenv/held'
import { ada, HOUR } from '@/testenv/timed'
import { op, placed, seen, wavedCluster } from '@/testenv/waved'
import { lookAtRuns } from './kept-runs'

useTestDatabase()
const cluster = wavedCluster()
const { place } = cluster
const { canaries, kept, elsewhere, disconnect, back, found, waits } = canaryClusters(cluster)

/** Of nobody any more which cluster it is in, or by which policy, is kept from before. */
const readAnew = () => policy({ select: { names: ['nobody'] }, reasonRequired: true })
const inWaves = ({ well, ill, next }: Record<'well' | 'ill' | 'next', Held>) => ({
  select: names(well, ill, next),
  waves: [
    { name: 'canary', select: names(well, ill) },
    { name: 'next', select: names(next) },
  ],
})

async function labels(...held: Held[]): Promise<void> {
  for (const { change } of held) {
    const { clusterId, namespace, workloadCluster: name } = change
    await db().workloadCluster.create({
      data: { ...{ clusterId, namespace, name }, id: randomUUID(), provider: 'cluster-api', labels: {} },
    })
  }
}
async function labelsGone({ change }: Held): Promise<void> {
  const { clusterId, namespace, workloadCluster: name } = change
  await db().workloadCluster.deleteMany({ where: { clusterId, namespace, name } })
  await policy({ select: { labels: { stage: 'prod' } }, reasonRequired: true })
}

describe('nobody places changes of a cluster that does not answer; forgotten, they are in the waves of now', () => {
  test('also where the policy was taken away, and is written as another one', async () => {
    const all = await canaries()
    const { ill, next } = all
    const there = await elsewhere(ill)
    await db().rolloutPolicy.deleteMany({})
    const { id } = await policy(inWaves(all))
    await kept(next)
    await waits(next)
    expect((await placed(next)).why).toContain(ill.name)
    await disconnect(there.clusterId)
    expect(await placed(ill)).toMatchObject({ policyId: id, name: 'canary' })
    await waits(next)
    expect((await placed(next)).why).toContain(`${ill.name} (its cluster was disconnected`)
  }, 120_000)

  test('also where they were never placed at all', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    const there = await elsewhere(ill)
    await readAnew()
    await db().change.update({ where: { id: ill.change.id }, data: { wave: Prisma.DbNull } })
    await waits(next)
    await disconnect(there.clusterId)
    await waits(next)
    expect((await placed(next)).why).toContain(`${ill.name} (its cluster was disconnected`)
  }, 120_000)

  test('those of other clusters stay where they are', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    const there = await elsewhere(ill)
    await db().change.update({ where: { id: next.change.id }, data: { wave: Prisma.DbNull } })
    await disconnect(there.clusterId)
    expect(await placed(next)).toBeNull()
  }, 120_000)
})

describe('a canary whose labels are not known is waited for, in the wave in which it was placed last', () => {
  test('where it is written once more meanwhile', async () => {
    const { well, ill, next } = await canaries()
    await labels(well, ill, next)
    await kept(next)
    await labelsGone(ill)
    await waits(next)
    await found(ill)
    await db().change.update({ where: { id: ill.change.id }, data: { state: 'superseded', finishedAt: new Date() } })
    await waits(next)
    expect((await placed(next)).why).toContain(`${ill.name} (its labels are not known yet)`)
  }, 120_000)

  test.each(['that it is not waited for', 'that it begins'])(
    'where somebody takes %s back meanwhile: what has not begun waits, and is placed no less',
    async (what) => {
      const [well, ill, next] = [await cluster.running(), await cluster.slow(), await cluster.slow()]
      const { select, waves } = inWaves({ well, ill, next })
      const { id: policyId } = await policy({
        select,
        waves: waves.map((wave) => ({ ...wave, ...(what === 'that it begins' ? { ownApproval: true } : {}) })),
      })
      await db().change.update({ where: { id: well.change.id }, data: { state: 'done', finishedAt: new Date() } })
      await kept(next)
      await labels(well, ill, next)
      const canary = await seen({ policyId, wish: 'version v1.34.1' }, 'canary')
      const { bound: _, ...about } = canary
      if (what === 'that it begins') await beginWave(ada, canary)
      else await skipWave(ada, { ...canary, reason: 'x' })
      await place()
      expect(await placed(ill)).toMatchObject({ state: 'open' })
      await labelsGone(ill)
      await (what === 'that it begins' ? takeBackBegin : waitForWave)(op, about)
      expect(await placed(ill)).toMatchObject({ policyId, name: 'canary', state: 'waits' })
      await waits(next)
      expect((await placed(next)).why).toContain(`${ill.name} (its labels are not known yet)`)
      await labels(ill)
      await readAnew()
      await place()
      expect(await placed(ill)).toMatchObject({ state: what === 'that it begins' ? 'waits' : 'open' })
    },
    120_000,
  )
})

describe('that waves are stopped does not end while something of them is away, however long', () => {
  const LONG = new Date(Date.now() - 2 * HOUR)
  const words = async () => (await db().waveWord.findMany({ where: { endedAt: null } })).map(({ what }) => what)

  /** All that is not through is in clusters that were disconnected hours ago. */
  async function away() {
    const { ill, next, run } = await canaries()
    await kept(next)
    await skipWave(ada, { ...(await seen(run, 'next')), reason: 'x' })
    await stopWaves(op, { ...run, reason: 'it breaks' })
    const there = [await elsewhere(ill), await elsewhere(next)]
    for (const { clusterId } of there) await disconnect(clusterId)
    await longAgo()
    await db().waveWord.updateMany({ data: { at: LONG } })
    await lookAtRuns()
    return { ill, next, there }
  }
  const longAgo = () =>
    db().change.updateMany({ where: { finishedAt: { not: null } }, data: { detectedAt: LONG, finishedAt: LONG } })

  test('connected again, all of it is stopped as before; what else was said has ended', async () => {
    const { ill, next, there } = await away()
    expect(await words()).toEqual(['stop'])
    for (const one of there) await back(one, { rollingOut: true, upToDateReplicas: 0 })
    await found(ill)
    await found(next)
    await readAnew()
    for (const run of await runsNow(db(), membership)) await db().$transaction((tx) => writePlaces(tx, misplaced(run)))
    const open = await db().change.findMany({ where: { state: 'waiting', wish: 'version v1.34.1' } })
    const ids = [ill, next].map(({ change }) => change.groupId)
    const stands = open.flatMap(({ groupId, wave }) => (ids.includes(groupId) ? [wave] : []))
    expect(stands).toMatchObject([{ state: 'stopped' }, { state: 'stopped' }])
  }, 120_000)

  test('nor where labels are not known for as long, and what is open was written once more meanwhile', async () => {
    const { well, ill, next, run } = await canaries()
    await labels(well, ill, next)
    await kept(next)
    await stopWaves(op, { ...run, reason: 'it breaks' })
    await db().change.update({ where: { id: next.change.id }, data: { state: 'reverted', finishedAt: LONG } })
    await labelsGone(ill)
    await found(ill)
    await db().change.update({ where: { id: ill.change.id }, data: { state: 'superseded', finishedAt: LONG } })
    await db().change.update({ where: { id: well.change.id }, data: { finishedAt: LONG } })
    await db().waveWord.updateMany({ data: { at: LONG } })
    await lookAtRuns()
    expect(await words()).toEqual(['stop'])
  }, 120_000)

  test.each(['has what was wanted', 'is through with another rollout'])(
    'it ends once all of it %s',
    async (how) => {
      const { next, there } = await away()
      const [first, second] = there
      await back(first!, { availableReplicas: 1 })
      await lookAtRuns()
      expect(await words()).toEqual(['stop'])
      await back(second!, { availableReplicas: how === 'has what was wanted' ? 1 : 0 })
      if (how !== 'has what was wanted') {
        const { wave } = await db().change.findUniqueOrThrow({ where: { id: next.change.id } })
        await found(next)
        const where = { groupId: next.change.groupId, state: 'waiting' }
        await db().change.updateMany({ where, data: { state: 'done', wave: wave!, finishedAt: LONG } })
      }
      await lookAtRuns()
      expect(await words()).toEqual([])
    },
    120_000,
  )
})
