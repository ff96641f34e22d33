import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { membership } from '@/lib/services/waves/membership'
import { misplaced, writePlaces } from '@/lib/services/waves/placing'
import { runsNow } from '@/lib/services/waves/runs'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { canaryClusters, names, policy } from '@/testenv/canaries'
import { MD, type Held } from '@/testenv/held'
import { settlingRollouts } from '@/testenv/settling'
import {
  ago,
  another,
  changed,
  CONTENT,
  known,
  MOVES_ON,
  moved,
  newest,
  NEWER,
  overtaken,
  settled,
  wantContent,
} from '@/testenv/tried'
import { op, placed, wavedCluster } from '@/testenv/waved'
import { lookAtRuns } from './kept-runs'

useTestDatabase()
const cluster = wavedCluster()
const { round: wavesRound } = cluster
const { away, round } = settlingRollouts(cluster)
const canary = canaryClusters(cluster)
const { canaries, kept, elsewhere, disconnect, back, found, waits } = canary

const STOPS = { stopsAt: 1, readyWithin: '15m' }
type All = Awaited<ReturnType<typeof canaries>>
async function stopped(): Promise<All> {
  const all = await canaries(STOPS)
  await away(all.ill, 30)
  expect(await round(all.ill)).toMatchObject({ state: 'waiting' })
  return all
}
async function changedBack(ill: Held): Promise<void> {
  await changed(ill, { state: 'reverted', finishedAt: new Date() })
  await settled(ill, { version: 'v1.34.0' })
}
/** One of two canaries was through long ago. */
async function soaks(hours: number): Promise<Omit<All, 'run'>> {
  const [well, ill, next] = [await cluster.running(), await cluster.running(), await cluster.slow()]
  const waves = [
    { name: 'canary', select: names(well, ill), soak: '24h' },
    { name: 'next', select: names(next) },
  ]
  await policy({ select: names(well, ill, next), waves })
  await changed(well, { state: 'done', finishedAt: ago(hours) })
  await kept(next)
  await changed(next, { detectedAt: ago(hours + 1) })
  return { well, ill, next }
}
const soaking = async (next: Held) => {
  await waits(next)
  expect((await placed(next)).why).toContain('it soaks')
}

describe('what waits, and is written once more, is of the same run', () => {
  test('by the planner itself: a restart beside its version', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    await changedBack(ill)
    await waits(next)
    const spec = { rollout: { after: new Date(Date.now() - 1000).toISOString().replace(/\.\d+Z/, 'Z') } }
    await cluster.at.cluster.admin.patch(MD, next.name, next.namespace, 'merge', { spec })
    await cluster.look(next)
    const { id, wish, wishedAt } = await newest(next)
    expect([id === next.change.id, wish, wishedAt]).toEqual([false, 'version v1.34.1', next.change.detectedAt])
    await wavesRound()
    expect((await newest(next)).wave).toMatchObject({ state: 'waits' })
  }, 120_000)

  test('its cluster was disconnected, and is connected again', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    await changedBack(ill)
    const there = await elsewhere(next)
    await disconnect(there.clusterId)
    await back(there, { held: 'x', upToDateReplicas: 0, rollingOut: true })
    await found(next)
    await known(ill)
    for (const run of await runsNow(db(), membership)) await db().$transaction((tx) => writePlaces(tx, misplaced(run)))
    expect((await newest(next)).wave).toMatchObject({ state: 'waits' })
  }, 120_000)
})

describe('no disconnect has what waves wait for forgotten', () => {
  test.each([
    ['a newer version', NEWER, MOVES_ON],
    ['another content', CONTENT, {}],
  ])(
    'stopped in a canary, where %s is wanted by now',
    async (_what, data, group) => {
      const { ill, next } = await stopped()
      await kept(next)
      await another(canary, ill, data)
      await overtaken(ill)
      await settled(ill, group)
      await waits(next)
      const clusterId = await moved(ill)
      await known(ill)
      await disconnect(clusterId)
      await known(ill)
      await waits(next)
      expect((await placed(next)).why).toContain(`${ill.name} (its cluster was disconnected`)
    },
    120_000,
  )

  test('begun, and changed back', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    await changedBack(ill)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await known(ill)
    await waits(next)
  }, 120_000)

  test('through an hour ago, it soaks', async () => {
    const { ill, next } = await soaks(25)
    await changed(ill, { state: 'done', finishedAt: ago(1) })
    await settled(ill)
    await soaking(next)
    await disconnect((await elsewhere(ill)).clusterId)
    await known(ill)
    await soaking(next)
  }, 120_000)

  test('a content that stopped there, where another is found once it is connected again', async () => {
    const { well, ill, next } = await stopped()
    await wantContent(well, ill, next)
    await kept(next)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await back(there)
    await another(canary, ill)
    await known(ill)
    await waits(next)
  }, 120_000)

  test.each(['stopped', 'was rejected'])(
    'a version that %s, and a newer one is wanted there since',
    async (how) => {
      const { ill, next } = await (how === 'stopped' ? stopped() : canaries())
      if (how === 'was rejected') {
        await db().decision.deleteMany({ where: { changeId: ill.change.id } })
        await db().machineProgress.deleteMany({ where: { changeId: ill.change.id } })
        const no = { fingerprint: 'f', mode: 'reject', actorId: 'bo', actorName: 'Bo', state: 'seen' }
        await db().decision.create({ data: { ...no, changeId: ill.change.id } })
        await changed(ill, { state: 'rejected' })
      }
      await kept(next)
      const there = await elsewhere(ill)
      await disconnect(there.clusterId)
      await back(there, { availableReplicas: 1 })
      await another(canary, ill, { ...NEWER, fromVersion: 'v1.34.1' })
      await settled(ill, { ...MOVES_ON, held: 'x' })
      await known(ill)
      await waits(next)
    },
    120_000,
  )
})

describe('what waited at its hook has not got its version', () => {
  async function hooked() {
    const [well, ill, next] = [await cluster.running(), await cluster.slow(), await cluster.slow()]
    const waves = [
      { name: 'canary', select: names(well, ill) },
      { name: 'next', select: names(next) },
    ]
    const { id: policyId } = await policy({ select: names(well, ill, next), waves })
    await changed(well, { state: 'done', finishedAt: new Date() })
    await changed(ill, { heldBy: 'hook' })
    await kept(next)
    return { ill, next, run: { policyId, wish: 'version v1.34.1' } }
  }
  const before = { version: 'v1.34.0', availableReplicas: 1 }

  test('connected again, before it is found anew', async () => {
    const { ill, next } = await hooked()
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await back(there, before)
    await known(ill)
    await waits(next)
    expect((await placed(next)).why).toContain(`${ill.name} (not done when its cluster was disconnected`)
    expect(await db().change.findUnique({ where: { id: ill.change.id } })).toMatchObject({ settledAt: null })
  }, 120_000)

  test('nor does it end that its waves are stopped', async () => {
    const { ill, next, run } = await hooked()
    await stopWaves(op, { ...run, reason: 'it breaks' })
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await changed(next, { state: 'reverted' })
    const all = { finishedAt: { not: null } }
    await db().change.updateMany({ where: all, data: { detectedAt: ago(2), finishedAt: ago(2) } })
    await db().waveWord.updateMany({ data: { at: ago(2) } })
    await back(there, before)
    await lookAtRuns()
    expect(await db().waveWord.count({ where: { endedAt: null } })).toBe(1)
  }, 120_000)
})

describe('it soaks from when it is first seen to be through, and to an end', () => {
  test('left, and not Ready until another content was found there and taken back', async () => {
    const { ill, next } = await soaks(60)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await changed(ill, { detectedAt: ago(61), finishedAt: ago(60) })
    await back(there)
    await known(ill)
    await another(canary, ill, { state: 'reverted', finishedAt: new Date() })
    await settled(ill)
    await soaking(next)
    await db().change.update({ where: { id: ill.change.id }, data: { settledAt: ago(25) } })
    await wavesRound()
    expect(await placed(next)).toMatchObject({ state: 'open' })
  }, 120_000)

  test('begun, and overtaken by what was taken back long before its machines were Ready', async () => {
    const { ill, next } = await soaks(60)
    await changed(ill, { state: 'superseded', detectedAt: ago(61), finishedAt: ago(31) })
    await another(canary, ill, { state: 'reverted', detectedAt: ago(31), finishedAt: ago(30) })
    await settled(ill, { availableReplicas: 0 })
    await waits(next)
    await settled(ill)
    await soaking(next)
  }, 120_000)
})
