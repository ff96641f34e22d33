import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let at: GovernedPools
let worker: Worker | null
beforeAll(async () => {
  at = await GovernedPools.start('tidal', 30, null, ['nodes'])
  worker = await follow()
  await installLatch(as('admin'), { clusterId: at.clusterId, governs: 'all' })
  const where = { clusterId: at.clusterId, kind: 'MachineConfigPool', governed: true }
  await until('pools to be governed', async () => (await db().group.count({ where })) === 2)
  const known = { ...where, watched: { not: null }, name: 'worker' }
  await until('the pool to be known', () => db().group.findFirst({ where: known }))
})
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await at?.stop()
})

test('what was approved is over by the word of its operator where Drydock may not list nodes, and waves go by it', async () => {
  const config = 'rendered-worker-b'
  await at.render(config)
  const { id, fingerprint, wish } = await at.waits(config)
  await until('it to be held', async () => at.isHeld())
  await at.approve({ id, fingerprint })
  const { outcome, wish: kept, machines } = await at.change('done')
  const { status } = at.pool()
  expect(status?.updatedMachineCount).toBe(status?.machineCount)
  expect(outcome).toMatchObject({ updatedInPlace: machines })
  expect(kept).toBe(wish)
})
