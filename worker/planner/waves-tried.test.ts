import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { membership } from '@/lib/services/waves/membership'
import { misplaced, writePlaces } from '@/lib/services/waves/placing'
import { runsNow } from '@/lib/services/waves/runs'
import { canaryClusters, names, policy } from '@/testenv/canaries'
import { MD, type Held } from '@/testenv/held'
import { settlingRollouts } from '@/testenv/settling'
import { ago, another, changed, overtaken, settled } from '@/testenv/tried'
import { placed, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const cluster = wavedCluster()
const { round: wavesRound } = cluster
const { away, round, allHaveIt } = settlingRollouts(cluster)
const canary = canaryClusters(cluster)
const { canaries, kept, elsewhere, disconnect, back, found, waits } = canary

const STOPS = { stopsAt: 1, readyWithin: '15m' }
describe('what had begun in a canary, and was never done, is waited for', () => {
  test('stopped with its version on every machine, none of them Ready, where somebody restarts it', async () => {
    const { ill, next } = await canaries(STOPS)
    await allHaveIt(ill)
    await away(ill, 30)
    expect(await round(ill)).toMatchObject({ settling: true, stoppedBy: expect.stringContaining('p-') as string })
    await kept(next)
    const spec = { rollout: { after: new Date(Date.now() - 1000).toISOString().replace(/\.\d+Z/, 'Z') } }
    await cluster.at.cluster.admin.patch(MD, ill.name, ill.namespace, 'merge', { spec })
    await cluster.look(ill)
    await waits(next)
    expect((await placed(next)).why).toContain(`${ill.name} (stopped, never counted as done, and over`)
    // That restart is done.
    const restart = { groupId: ill.change.groupId, state: 'waiting' }
    await db().change.updateMany({ where: restart, data: { state: 'done', finishedAt: new Date() } })
    await settled(ill)
    await wavesRound()
    expect(await placed(next)).toMatchObject({ state: 'open' })
  }, 120_000)

  test.each(['stopped', 'under way'])(
    'a content, %s, where another is wanted since',
    async (how) => {
      const { well, ill, next } = await canaries(STOPS)
      if (how === 'stopped') {
        await away(ill, 30)
        expect(await round(ill)).toMatchObject({ state: 'waiting' })
      }
      const ids = { in: [well, ill, next].map(({ change }) => change.id) }
      await db().change.updateMany({ where: { id: ids }, data: { wish: 'content w', wishExact: 'w', toVersion: null } })
      await kept(next)
      await another(canary, ill)
      await overtaken(ill)
      await waits(next)
      expect((await placed(next)).why).toContain(`${ill.name} (${how === 'stopped' ? 'stopped' : 'begun, and over'}`)
    },
    120_000,
  )

  test.each(['changed back', 'wanted newer'])(
    'a version, where it is %s',
    async (how) => {
      const { ill, next } = await canaries()
      await kept(next)
      if (how === 'changed back') await changed(ill, { state: 'reverted', finishedAt: new Date() })
      else {
        await another(canary, ill, { wish: 'version v1.35.0', wishExact: 'version v1.35.0', toVersion: 'v1.35.0' })
        await overtaken(ill)
      }
      await settled(ill, { version: how === 'changed back' ? 'v1.34.0' : 'v1.35.0' })
      await waits(next)
      expect((await placed(next)).why).toContain(`${ill.name} (begun, and over before it was done`)
    },
    120_000,
  )

  test('but not in a run that began after that was over', async () => {
    const { ill, next } = await canaries()
    await changed(ill, { state: 'reverted', detectedAt: ago(3), finishedAt: ago(2) })
    await settled(ill, { version: 'v1.34.0' })
    await changed(next, { detectedAt: ago(1) })
    await wavesRound()
    expect(await placed(next)).toMatchObject({ state: 'open' })
  }, 120_000)

  test('nor where nothing of it had begun', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    await db().decision.deleteMany({ where: { changeId: ill.change.id } })
    await db().machineProgress.deleteMany({ where: { changeId: ill.change.id } })
    await changed(ill, { state: 'reverted', finishedAt: new Date() })
    await settled(ill, { version: 'v1.34.0' })
    await wavesRound()
    expect(await placed(next)).toMatchObject({ state: 'open' })
  }, 120_000)
})

describe('what was left with its cluster', () => {
  test.each(['waited', 'was rejected'])(
    'and %s then, and has it by now, is waited for also where another content is written there, and taken back',
    async (how) => {
      const { ill, next } = await canaries()
      await changed(ill, { state: how === 'waited' ? 'waiting' : 'rejected' })
      const no = { fingerprint: 'f', mode: 'reject', actorId: 'bo', actorName: 'Bo', state: 'seen' }
      if (how === 'was rejected') await db().decision.create({ data: { ...no, changeId: ill.change.id } })
      await kept(next)
      const there = await elsewhere(ill)
      await disconnect(there.clusterId)
      await back(there, { availableReplicas: how === 'waited' ? 0 : 1 })
      await policy({ select: names(ill), reasonRequired: true })
      await waits(next)
      await another(canary, ill, { state: 'reverted', finishedAt: new Date() })
      await waits(next)
    },
    120_000,
  )

  test('is waited for by who does not know yet that it is there, where it was placed, and written once more', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await policy({ select: names(ill), reasonRequired: true })
    await waits(next)
    await back(there, { rollingOut: true, upToDateReplicas: 0 })
    await found(ill)
    for (const run of await runsNow(db(), membership)) await db().$transaction((tx) => writePlaces(tx, misplaced(run)))
    const again = await db().change.findFirstOrThrow({ where: { groupId: ill.change.groupId, state: 'waiting' } })
    expect(again.wave).not.toBeNull()
    await found(ill)
    await db().change.update({ where: { id: again.id }, data: { state: 'superseded', finishedAt: new Date() } })
    await waits(next)
  }, 120_000)
})

describe('what was through soaks', () => {
  async function soaks() {
    const [well, ill, next] = [await cluster.running(), await cluster.running(), await cluster.slow()]
    const waves = [
      { name: 'canary', select: names(well, ill), soak: '24h' },
      { name: 'next', select: names(next) },
    ]
    await policy({ select: names(well, ill, next), waves })
    await changed(well, { state: 'done', finishedAt: ago(25) })
    await kept(next)
    return { well, ill, next }
  }
  const soaking = async (next: Held) => {
    await waits(next)
    expect((await placed(next)).why).toContain('it soaks')
  }

  test.each(['version v1.34.1', 'content w'])(
    'from when it is seen to have it, after its cluster was disconnected: %s',
    async (wish) => {
      const { well, ill, next } = await soaks()
      const ids = { in: [well, ill, next].map(({ change }) => change.id) }
      await db().change.updateMany({ where: { id: ids }, data: { wish, wishExact: wish } })
      await changed(next, { detectedAt: ago(26) })
      const there = await elsewhere(ill)
      await disconnect(there.clusterId)
      await waits(next)
      await back(there, { availableReplicas: 1 })
      await policy({ select: names(ill), reasonRequired: true })
      await soaking(next)
    },
    120_000,
  )

  test.each([
    ['another content is waited for there', {}, {}],
    ['another content is done there', { state: 'done', finishedAt: new Date() }, {}],
    ['another content was taken back', { state: 'reverted', finishedAt: new Date() }, {}],
    ['it goes on to a newer version', { wish: 'version v1.35.0', toVersion: 'v1.35.0', state: 'running' }, NEWER()],
  ])(
    'also where %s',
    async (_how, data, group) => {
      const { ill, next } = await soaks()
      await changed(ill, { state: 'done', finishedAt: ago(1) })
      await settled(ill)
      await soaking(next)
      await another(canary, ill, data)
      await settled(ill, group)
      await soaking(next)
    },
    120_000,
  )
  function NEWER() {
    return { version: 'v1.35.0', rollingOut: true, upToDateReplicas: 0 }
  }
})
