import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { FOUND_HELD, markOf } from '@/lib/domain/latch/watch'
import { HELD, POOL_PAUSED } from '@/lib/domain/latch/names'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let at: GovernedPools
let worker: Worker | null

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

const row = () => db().group.findFirstOrThrow({ where: { clusterId: at.clusterId, name: 'worker' } })

test('a pool that was held when watching began, and is changed back, is let go by that, and let be', async () => {
  await worker!.stop()
  const before = (at.pool().spec?.configuration as { name: string }).name
  const annotations = { [HELD]: 'Waiting for approval in Drydock: held before', [POOL_PAUSED]: 'drydock' }
  await at.write('worker', { metadata: { annotations }, spec: { paused: true } })
  await at.render('rendered-worker-z')
  await db().group.updateMany({ where: { clusterId: at.clusterId }, data: { watched: null, letGo: null } })
  worker = await follow()
  await at.waits('rendered-worker-z')
  await until('it to be found held', async () => (await row()).watched === FOUND_HELD)
  await at.point(before)
  await until('it to be let be', async () => !at.isHeld() && ![null, FOUND_HELD].includes((await row()).watched))
  const { uid } = at.pool().metadata
  expect(await db().auditEvent.count({ where: { targetId: uid, action: 'change.held' } })).toBe(0)
})

test('a pool of which all nodes were through while nobody watched is let go, and not held again for that', async () => {
  await worker!.stop()
  const annotations = { [HELD]: 'Waiting for approval in Drydock: held before', [POOL_PAUSED]: 'drydock' }
  await at.write('worker', { metadata: { annotations }, spec: { paused: true } })
  const another = markOf(at.pool().apiVersion, 'another')
  await db().group.updateMany({ where: { clusterId: at.clusterId }, data: { watched: another, letGo: null } })
  worker = await follow()
  await until('it to be let be', async () => !at.isHeld() && (await row()).watched !== another)
  const { uid } = at.pool().metadata
  expect(await db().auditEvent.count({ where: { targetId: uid, action: 'change.held' } })).toBe(0)
  expect(at.isHeld()).toBe(false)
})
