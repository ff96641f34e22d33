import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { closeClients } from '@/lib/services/clusters/connection'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { installLatch } from '@/lib/services/latch/install-latch'
import { getPool } from '@/lib/services/pools/get-pool'
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

const DESIRED = 'machineconfiguration.openshift.io/desiredConfig'
const row = (id: string) => db().change.findUniqueOrThrow({ where: { id } })
const drains = async (blocked: 'blocked' | null) => {
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', blocked)
}
const has = (config: string) =>
  at.nodes().filter(({ metadata }) => {
    const { annotations = {} } = metadata
    return annotations['machineconfiguration.openshift.io/currentConfig'] === config
  }).length
const namesOf = (config: string) => at.told(config).map(({ metadata }) => metadata.name)

test('what began unapproved before a newer configuration came is counted to its end, and told by name', async () => {
  await drains('blocked')
  await at.render('rendered-worker-a')
  const { id } = await at.waits('rendered-worker-a')
  await until('the pool to be held', async () => at.isHeld())
  if (at.told('rendered-worker-a').length === 0)
    await at.annotate(at.nodes()[0]!.metadata.name, DESIRED, 'rendered-worker-a')
  const begun = { changeId: id, startedAt: { not: null } }
  await until('a node to have begun', async () => (await db().machineProgress.count({ where: begun })) > 0)
  await at.render('rendered-worker-b')
  await at.waits('rendered-worker-b')
  const told = namesOf('rendered-worker-a').toSorted()
  const n = told.length
  await until('that to be counted', async () => {
    const { outcome, state } = await row(id)
    return state === 'superseded' && (outcome as { unapproved?: number } | null)?.unapproved === n
  })
  expect((await row(id)).outcome).toMatchObject({ updatedInPlace: 0, begun: n })
  expect((await getUpdate(as('viewer'), id)).begunUnapproved).toEqual(told)
  const { id: poolId } = await db().configPool.findFirstOrThrow({ where: { name: 'worker' } })
  const { hold } = await getPool(as('viewer'), { id: poolId })
  expect(hold).toMatchObject({ begunUnapproved: [], begunBefore: [{ id, nodes: told }] })

  await drains(null)
  await until('it to have gone to its end', async () => has('rendered-worker-a') === n)
  await until('that to be counted', async () => {
    const { outcome } = await row(id)
    return (outcome as { updatedInPlace?: number } | null)?.updatedInPlace === n
  })
  expect((await row(id)).outcome).toMatchObject({ unapproved: n })
  expect((await row(id)).outcome).not.toHaveProperty('begun')
  const moved = await db().auditEvent.findMany({ where: { targetId: id, action: MOVED_UNAPPROVED } })
  expect(moved.flatMap(({ details }) => (details as { nodes: string }).nodes.split(', ')).toSorted()).toEqual(told)
  await at.approve(await at.waits('rendered-worker-b'))
  await at.change('done')
  // All of them have been let take up what came after it.
  expect((await getPool(as('viewer'), { id: poolId })).hold.begunBefore).toEqual([])
})

test('what an approval had begun before a newer configuration came is counted to its end, and is not unapproved', async () => {
  await drains('blocked')
  await at.render('rendered-worker-c')
  const first = await at.waits('rendered-worker-c')
  await until('the pool to be held', async () => at.isHeld())
  const slipped = at.told('rendered-worker-c').length
  await at.approve(first)
  await until('a node to begin', async () => at.told('rendered-worker-c').length > 0)
  await at.render('rendered-worker-d')
  await at.waits('rendered-worker-d')
  await until('the pool to be held', async () => at.isHeld())
  const n = at.told('rendered-worker-c').length
  await drains(null)
  await until('it to have gone to its end', async () => has('rendered-worker-c') === n)
  await until('that to be counted', async () => {
    const { outcome } = await row(first.id)
    return (outcome as { updatedInPlace?: number } | null)?.updatedInPlace === n
  })
  expect((await getUpdate(as('viewer'), first.id)).begunUnapproved.length).toBeLessThanOrEqual(slipped)
  await at.approve(await at.waits('rendered-worker-d'))
  await at.change('done')
})
