import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { canaryClusters, names, policy } from '@/testenv/canaries'
import { expectHeld } from '@/testenv/deciding'
import { ago, another, changed, overtaken, settled } from '@/testenv/tried'
import { placed, wavedCluster } from '@/testenv/waved'
import { goInTime } from './times'

const between = vi.hoisted(() => ({ reads: null as (() => Promise<unknown>) | null }))
vi.mock('@/lib/services/waves/pools-have', async (original) => {
  const real = await original<typeof import('@/lib/services/waves/pools-have')>()
  return {
    ...real,
    poolsHave: async (...of: Parameters<typeof real.poolsHave>) => {
      const [once, found] = [between.reads, await real.poolsHave(...of)]
      between.reads = null
      await once?.()
      return found
    },
  }
})

useTestDatabase()
const cluster = wavedCluster()
const canary = canaryClusters(cluster)
const { canaries, kept, disconnect, waits } = canary
afterEach(() => void vi.restoreAllMocks())

test('a disconnect that comes to its end while another worker looks at the runs opens no wave', async () => {
  const { ill, next } = await canaries()
  await kept(next)
  await another(canary, ill)
  await overtaken(ill)
  await settled(ill)
  await waits(next)
  const { groupId } = ill.change
  const to = { name: `other-${groupId}`, server: 'https://x' }
  const { id: clusterId } = await db().managementCluster.create({ data: to })
  await db().group.update({ where: { id: groupId }, data: { clusterId } })
  await db().change.updateMany({ where: { groupId }, data: { clusterId } })
  await policy({ select: names(ill), reasonRequired: true })
  await waits(next)
  between.reads = () => disconnect(clusterId)
  await cluster.place()
  expect(between.reads).toBeNull()
  // The round that lets go has its own time.
  await goInTime(await cluster.view())
  await expectHeld(next)
  expect(await placed(next)).toMatchObject({ state: 'waits' })
}, 120_000)

test('a worker whose clock is ten minutes ahead ends no soak', async () => {
  const [well, next] = [await cluster.running(), await cluster.slow()]
  const waves = [
    { name: 'canary', select: names(well), soak: '30m' },
    { name: 'next', select: names(next) },
  ]
  await policy({ select: names(well, next), waves })
  await kept(next)
  await changed(well, { state: 'done', finishedAt: ago(25 / 60) })
  await settled(well)
  await waits(next)
  expect((await placed(next)).why).toContain('it soaks')
  const real = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => real() + 600_000)
  await cluster.round()
  expect(await placed(next)).toMatchObject({ state: 'waits' })
}, 120_000)
