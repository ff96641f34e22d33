import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { getPool } from '@/lib/services/pools/get-pool'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const P = 'machineconfiguration.openshift.io/'
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

const annotation = (node: string, key: string) =>
  at.nodes().find(({ metadata }) => metadata.name === node)!.metadata.annotations![P + key]

/** A worker that began has looked at the pool, and may not list its nodes. */
async function lookedAt(): Promise<void> {
  const refused = { clusterId: at.clusterId, resource: 'nodes', message: { contains: 'forbidden' } }
  await until('nodes to be refused', () => db().stream.findFirst({ where: refused }))
  await at.write('worker', { metadata: { labels: { touched: 'yes' } } })
  await until('the pool to be looked at', async () => {
    const row = await db().configPool.findUniqueOrThrow({ where: { id: at.pool().metadata.uid } })
    return row.resourceVersion === at.pool().metadata.resourceVersion
  })
}

test('what is known of nodes outlives a worker that may not list them at first: who took up what waits meanwhile is on record', async () => {
  const config = 'rendered-worker-q'
  await at.render(config)
  const { id: changeId } = await at.waits(config)
  await until('the pool to be held', async () => at.isHeld())
  const progress = () => db().machineProgress.findMany({ where: { changeId }, orderBy: { machineId: 'asc' } })
  const idle = async () => {
    const waiting = (await progress()).filter(({ state, startedAt }) => state === 'waiting' && !startedAt)
    return waiting.find(({ machineName }) => annotation(machineName, 'desiredConfig') !== config)
  }
  await until('all nodes to be known', async () => (await progress()).length === at.nodes().length)
  const node = (await until('a node to wait', idle)).machineName
  await worker!.stop()
  worker = null
  const nodes = () => db().configNode.count({ where: { clusterId: at.clusterId } })
  const before = { nodes: await nodes(), waiting: (await progress()).map(({ machineName }) => machineName) }
  // Somebody resumed the pool for a moment: one node has it, and the pool is held as before.
  await at.annotate(node, `${P}desiredConfig`, config)
  await until('the node to have it', () => Promise.resolve(annotation(node, 'currentConfig') === config))
  at.forbid('nodes')
  worker = await follow()
  await lookedAt()
  expect(await nodes()).toBe(before.nodes)
  expect((await progress()).map(({ machineName }) => machineName)).toEqual(before.waiting)
  const page = () => getPool(as('viewer'), { id: at.pool().metadata.uid })
  await until('it to be told that they are old', async () =>
    (await page()).unheard?.why.includes('Nodes cannot be read'),
  )
  at.allow()
  const where = { targetId: changeId, action: MOVED_UNAPPROVED }
  const told = async () =>
    (await db().auditEvent.findMany({ where })).map(({ details }) => JSON.stringify(details)).join()
  await until('the node to be on record', async () => (await told()).includes(node))
  await until('they to be heard', async () => (await page()).unheard === null)
})
