import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { POOL } from '@/lib/domain/latch/hold'
import { closeClients } from '@/lib/services/clusters/connection'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { installLatch } from '@/lib/services/latch/install-latch'
import { watchNow } from '@/lib/services/latch/watch-now'
import { getPool } from '@/lib/services/pools/get-pool'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, SOMEBODY, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let at: GovernedPools
let worker: Worker | null
let id: string

beforeAll(async () => {
  at = await GovernedPools.start('tidal', 30)
  worker = await follow()
  await installLatch(as('admin'), { clusterId: at.clusterId, governs: 'all' })
  await at.governed(true)
  id = at.pool().metadata.uid
})
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await at?.stop()
})

/** Rendered, and taken up by all nodes; the operator has counted them. */
async function goesThrough(config: string): Promise<void> {
  await at.render(config)
  const said = () => (at.pool().status?.configuration as { name: string }).name === config
  await until('all nodes to have it', () => Promise.resolve(at.told(config).length === at.nodes().length && said()))
}
/** The change that brought this config, when it is on record. */
const recorded = (config: string) =>
  until(`${config} to be on record`, async () => {
    const [newest] = await db().change.findMany({ where: { groupId: id }, orderBy: { detectedAt: 'desc' }, take: 1 })
    return JSON.stringify(newest?.outlook ?? '').includes(config) && newest
  })
const ready = (status: string) => ({ conditions: [{ type: 'Ready', status, reason: 'Kubelet' }] })
const names = () => at.nodes().map(({ metadata }) => metadata.name)
const about = (targetId: string, action: string) =>
  db().auditEvent.findMany({ where: { targetKind: POOL, targetId, action } })

test('what all nodes took up while the watch was refused is on record, by name, and the pool is not paused for it', async () => {
  at.forbidPools()
  await until('nothing to hold it', async () => (await watchNow(at.clusterId))?.down)
  await goesThrough('rendered-worker-y')
  at.allow()
  const change = await recorded('rendered-worker-y')
  expect(change).toMatchObject({ state: 'done', heldBy: 'none', machines: names().length })
  expect(change.wish).not.toBeNull()
  const [event, ...more] = await about(change.id, MOVED_UNAPPROVED)
  expect(event).toMatchObject({ details: { nodes: names().sort().join(', ') } })
  expect(event!.reason).toContain('It was not approved when')
  expect(more).toEqual([])
  expect(await getUpdate(as('viewer'), change.id)).toMatchObject({ begunUnapproved: names().sort() })
  const page = await until('its pool to be let be', async () => {
    const { hold } = await getPool(as('viewer'), { id })
    return hold.change === null && hold.begunBefore.length > 0 && hold
  })
  expect(page.begunBefore).toEqual([{ id: change.id, summary: change.summary, nodes: names().sort(), isDone: true }])
  expect(await about(id, 'change.held')).toEqual([])
  expect(at.isHeld()).toBe(false)
})

test('so is what they took up while no worker ran, in the place of what had waited; no wave goes by it before all nodes are well', async () => {
  await at.render('rendered-worker-x')
  const waits = await at.waits('rendered-worker-x')
  await worker!.stop()
  worker = null
  await at.write('worker', {
    metadata: { annotations: clear(at.pool().metadata.annotations) },
    spec: { paused: false },
  })
  await goesThrough('rendered-worker-z')
  await at.server.store.merge('nodes', names()[0]!, { status: ready('False') }, SOMEBODY, 'status')
  worker = await follow()
  const change = await recorded('rendered-worker-z')
  expect(change).toMatchObject({ state: 'done', wish: null })
  await at.server.store.merge('nodes', names()[0]!, { status: ready('True') }, SOMEBODY, 'status')
  const well = await until('waves to go by it', async () => {
    const now = await db().change.findUniqueOrThrow({ where: { id: change.id } })
    return now.wish !== null && now
  })
  expect(well.finishedAt!.getTime()).toBeGreaterThan(change.finishedAt!.getTime())
  const progress = await db().machineProgress.findMany({ where: { changeId: change.id } })
  expect(progress.filter(({ readyAt }) => readyAt === null)).toEqual([])
  expect(await about(change.id, MOVED_UNAPPROVED)).toHaveLength(1)
  expect(await db().change.findUniqueOrThrow({ where: { id: waits.id } })).toMatchObject({ state: 'superseded' })
})

test('what was approved, and came to its end while no worker ran, is no such thing', async () => {
  await at.render('rendered-worker-w')
  const waits = await at.waits('rendered-worker-w')
  await at.approve(waits)
  await at.change('running')
  await worker!.stop()
  worker = null
  const said = () => (at.pool().status?.configuration as { name: string }).name === 'rendered-worker-w'
  await until('all nodes to have it', () => Promise.resolve(said()))
  worker = await follow()
  await at.change('done')
  await until('what is let go to be known', async () => {
    const { letGo } = await db().group.findUniqueOrThrow({ where: { id } })
    return letGo === waits.digest
  })
  expect(await db().change.findMany({ where: { groupId: id, state: 'done', digest: waits.digest } })).toHaveLength(1)
  expect((await getPool(as('viewer'), { id })).hold.begunBefore).toEqual([])
})

/** Somebody takes all of Drydock's hold away. */
const clear = (annotations: Record<string, string> = {}) =>
  Object.fromEntries(Object.keys(annotations).flatMap((key) => (key.includes('drydock') ? [[key, null]] : [])))
