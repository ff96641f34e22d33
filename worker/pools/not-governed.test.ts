import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { closeClients } from '@/lib/services/clusters/connection'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { getPool } from '@/lib/services/pools/get-pool'
import { previewPool } from '@/lib/services/pools/preview-pool'
import { resumePool } from '@/lib/services/pools/resume-pool'
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
})
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await at?.stop()
})

test('a pool that nobody governs waits for nobody, and once it is resumed here it is under way, and nothing was taken away', async () => {
  const { id, pool, told } = await until('what waits below the pause', async () => {
    const change = await db().change.findFirst({ where: { groupName: 'gpu', state: 'waiting' } })
    if (!change) return null
    const told = await db().auditEvent.findFirst({ where: { targetId: change.id, action: 'change.waits' } })
    return told && { id: change.id, pool: change.groupId, told }
  })
  expect(told.details).toMatchObject({ heldBy: 'person', asksNobody: true })
  // So that it is still under way when it is looked at.
  const nodes = await db().configNode.findMany({ where: { clusterId: at.clusterId, pool: 'gpu' } })
  for (const { name } of nodes) await at.annotate(name, 'drydock.test/drain', 'blocked')
  const { resourceVersion, generation, uid } = await previewPool(as('approver'), { poolId: pool, action: 'resume' })
  await resumePool(as('approver'), { poolId: pool, resourceVersion, generation: generation!, uid })
  await at.change('running', 'gpu')
  const update = await getUpdate(as('viewer'), id)
  expect(update).toMatchObject({ unapproved: null, letGoOutside: false })
  expect(update.timeline.filter(({ tone }) => tone === 'bad')).toEqual([])
  expect((await getPool(as('viewer'), { id: pool })).hold.change).toMatchObject({ id, unapproved: null })
  expect((await needsYou(as('approver'), {})).filter(({ kind }) => kind === 'unapproved')).toEqual([])
})
