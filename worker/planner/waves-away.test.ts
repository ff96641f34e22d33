import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { canaryClusters, names, policy } from '@/testenv/canaries'
import type { Held } from '@/testenv/held'
import { settlingRollouts } from '@/testenv/settling'
import { ago, another, changed, known, moved, newest, NEWER, overtaken, settled, wantContent } from '@/testenv/tried'
import { placed, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const cluster = wavedCluster()
const { away, round } = settlingRollouts(cluster)
const canary = canaryClusters(cluster)
const { canaries, kept, elsewhere, disconnect, back, waits } = canary

async function stopped() {
  const all = await canaries({ stopsAt: 1, readyWithin: '15m' })
  await away(all.ill, 30)
  expect(await round(all.ill)).toMatchObject({ state: 'waiting' })
  return all
}

describe('a canary soaks on over a disconnect', () => {
  async function soaks(hours: number) {
    const [well, ill, next] = [await cluster.running(), await cluster.running(), await cluster.slow()]
    const waves = [
      { name: 'canary', select: names(well, ill), soak: '24h' },
      { name: 'next', select: names(next) },
    ]
    await policy({ select: names(well, ill, next), waves })
    await changed(well, { state: 'done', finishedAt: ago(hours) })
    await kept(next)
    await changed(next, { detectedAt: ago(hours + 1) })
    return { ill, next }
  }
  const soaking = async (next: Held) => {
    await waits(next)
    expect((await placed(next)).why).toContain('it soaks')
  }

  test('through an hour ago, where a newer version waits', async () => {
    const { ill, next } = await soaks(25)
    await changed(ill, { state: 'done', finishedAt: ago(1) })
    await another(canary, ill, { ...NEWER, fromVersion: 'v1.34.1' })
    const { id: changeId } = await newest(ill)
    await db().machineProgress.deleteMany({ where: { changeId } })
    await db().decision.deleteMany({ where: { changeId } })
    await settled(ill, { version: 'v1.35.0', held: 'x', upToDateReplicas: 0 })
    await known(ill)
    await soaking(next)
    await disconnect(await moved(ill))
    await known(ill)
    await soaking(next)
  }, 120_000)

  test('seen to be through a moment ago, it is disconnected once more', async () => {
    const { ill, next } = await soaks(60)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await changed(ill, { detectedAt: ago(61), finishedAt: ago(60) })
    await back(there, { availableReplicas: 1 })
    await known(ill)
    await soaking(next)
    await disconnect(there.clusterId)
    await known(ill)
    await soaking(next)
  }, 120_000)

  test('through an hour ago, where nobody else wants it at that moment', async () => {
    const { ill, next } = await soaks(25)
    await changed(ill, { state: 'done', finishedAt: ago(1) })
    await settled(ill)
    await soaking(next)
    const clusterId = await moved(ill)
    await changed(next, { state: 'reverted' })
    await disconnect(clusterId)
    await changed(next, { state: 'waiting' })
    await known(ill)
    await soaking(next)
  }, 120_000)
})

describe('what stopped there, or was half way, is waited for over a disconnect', () => {
  test('with its version on every machine, where another content was taken back', async () => {
    const { ill, next } = await stopped()
    await kept(next)
    await another(canary, ill, { state: 'reverted', finishedAt: new Date() })
    await overtaken(ill)
    await settled(ill)
    await waits(next)
    const clusterId = await moved(ill)
    await known(ill)
    await disconnect(clusterId)
    await known(ill)
    await waits(next)
  }, 120_000)

  test('a content that stopped, where another one was left there since', async () => {
    const { well, ill, next } = await stopped()
    await wantContent(well, ill, next)
    await kept(next)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await back(there)
    await another(canary, ill, { stoppedAt: null, stoppedBy: null })
    await known(ill)
    await waits(next)
    await disconnect(there.clusterId)
    await back(there, { availableReplicas: 1 })
    await known(ill)
    await waits(next)
  }, 120_000)

  test('a content that another took the place of, which was left', async () => {
    const { well, ill, next } = await canaries()
    await wantContent(well, ill, next)
    await kept(next)
    await another(canary, ill)
    await overtaken(ill)
    await waits(next)
    const clusterId = await moved(ill)
    const group = await db().group.findUniqueOrThrow({ where: { id: ill.change.groupId } })
    await known(ill)
    await disconnect(clusterId)
    await known(ill)
    await waits(next)
    await back({ clusterId, group }, { availableReplicas: 1 })
    await known(ill)
    await waits(next)
  }, 120_000)
})
