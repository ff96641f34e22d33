import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { watchNow } from '@/lib/services/latch/watch-now'
import { getPool } from '@/lib/services/pools/get-pool'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let at: GovernedPools
let worker: Worker

beforeAll(async () => {
  at = await GovernedPools.start('tidal', 30)
  worker = await follow()
  await installLatch(as('admin'), { clusterId: at.clusterId, governs: 'all' })
  await at.governed(true)
})
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await at?.stop()
})

test('a pool is not said to be held by pausing, nor to be up to date, while its watch is refused and it moves', async () => {
  const { id } = await db().configPool.findFirstOrThrow({ where: { clusterId: at.clusterId, name: 'worker' } })
  const page = () => getPool(as('viewer'), { id })
  expect((await page()).hold.strength).toMatch(/^held by pausing/)
  at.forbidPools()
  await until('nothing to hold it', async () => (await watchNow(at.clusterId))?.down)
  await at.render('rendered-worker-z')
  await until('all nodes to have it', () => Promise.resolve(at.told('rendered-worker-z').length === at.nodes().length))
  expect((await page()).hold.strength).toMatch(
    /^not held now: the watch of its groups is down \(machineconfigpools.*forbidden/,
  )
  const { sentence } = await until('it to be unknown', async () => (await page()).state === 'unknown' && page())
  expect(sentence).toMatch(/machineconfigpools.*forbidden/)
})
