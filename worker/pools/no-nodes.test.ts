import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { closeClients } from '@/lib/services/clusters/connection'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { newestOf } from '@/lib/services/waves/newest'
import { poolsHave } from '@/lib/services/waves/pools-have'
import { installLatch } from '@/lib/services/latch/install-latch'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, SOMEBODY, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const PREFIX = 'machineconfiguration.openshift.io/'
const GPU = 'node-role.kubernetes.io/gpu'
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

const names = () => at.nodes().map(({ metadata }) => metadata.name)
/** Into another pool, or back. */
const move = async (nodes: string[], where: 'gpu' | 'worker') => {
  const labels = { [GPU]: where === 'gpu' ? '' : null }
  for (const node of nodes) await at.server.store.merge('nodes', node, { metadata: { labels } }, SOMEBODY)
}
const settled = () =>
  until('nothing to be under way', async () =>
    at.nodes().every(({ metadata: { annotations = {} } }) => {
      const of = (key: string) => annotations[`${PREFIX}${key}`]
      return of('currentConfig') === of('desiredConfig') && of('state') === 'Done'
    }),
  )
const changeOf = (id: string) => db().change.findUniqueOrThrow({ where: { id } })
const actions = async (id: string) =>
  (await db().auditEvent.findMany({ where: { targetId: id }, orderBy: { id: 'asc' } })).map(({ action }) => action)
/** The planner has looked at it: so many nodes lack it. */
const lacking = (id: string, machines: number) =>
  until(`${machines} nodes to lack it`, async () => {
    const { pairs } = changeSetOf(await changeOf(id))
    return at.pool().status?.machineCount === at.nodes().length && pairs[0]?.machines === machines
  })
const letGo = async () =>
  (await db().group.findFirstOrThrow({ where: { clusterId: at.clusterId, name: 'worker' } })).letGo
const comes = async (config: string) => {
  await at.render(config)
  const change = await at.waits(config)
  await until('it to be held', async () => at.isHeld())
  await settled()
  return change
}
const reject = async ({ id: changeId, fingerprint }: { id: string; fingerprint: string }) => {
  await rejectChange(as('approver'), { changeId, fingerprint, reason: 'not on these' })
  await until('it to be rejected', async () => (await changeOf(changeId)).state === 'rejected')
}

test('what was rejected stays so, and held, while its pool has no node for a moment', async () => {
  const config = 'rendered-worker-b'
  const change = await comes(config)
  await reject(change)
  const nodes = names()
  const told = at.told(config).length
  expect(told).toBeLessThan(nodes.length)
  await move(nodes, 'gpu')
  await lacking(change.id, 0)
  expect(at.isHeld()).toBe(true)
  expect(await changeOf(change.id)).toMatchObject({ state: 'rejected', fingerprint: change.fingerprint })
  expect(await letGo()).not.toBe(change.digest)
  await move(nodes, 'worker')
  await lacking(change.id, nodes.length - told)
  expect(at.isHeld()).toBe(true)
  expect(at.told(config)).toHaveLength(told)
  expect(await changeOf(change.id)).toMatchObject({ state: 'rejected', fingerprint: change.fingerprint })
  expect(await actions(change.id)).not.toContain('change.taken-back')
})

test('what comes to a pool without nodes waits as any other, and is held once there are some', async () => {
  const config = 'rendered-worker-c'
  const nodes = names()
  await move(nodes, 'gpu')
  await until('no node to be left', async () => at.pool().status?.machineCount === 0)
  const change = await comes(config)
  await lacking(change.id, 0)
  expect(change.outlook).toMatchObject({ inPlace: { headline: expect.stringContaining('No node of worker has to') } })
  const asked = async () => (await needsYou(as('approver'), {})).some(({ id }) => id === change.id)
  expect(await asked()).toBe(false)
  expect(await letGo()).not.toBe(change.digest)
  await move(nodes, 'worker')
  await lacking(change.id, nodes.length)
  expect(at.isHeld()).toBe(true)
  expect(await asked()).toBe(true)
  expect(at.told(config)).toEqual([])
  expect(await changeOf(change.id)).toMatchObject({ state: 'waiting', fingerprint: change.fingerprint })
})

test('what was rejected stays so, and held, while those of its nodes that lack it are in another pool', async () => {
  const config = 'rendered-worker-d'
  const change = await comes(config)
  await reject(change)
  // Somebody tells one of them by hand.
  const [one, ...others] = names()
  await at.annotate(one!, `${PREFIX}desiredConfig`, config)
  await settled()
  await until('that to be on record', async () => (await actions(change.id)).includes('change.moved-unapproved'))
  await move(others, 'gpu')
  await lacking(change.id, 0)
  expect(at.isHeld()).toBe(true)
  expect(await changeOf(change.id)).toMatchObject({ state: 'rejected' })
  expect(await letGo()).not.toBe(change.digest)
  await move(others, 'worker')
  await lacking(change.id, others.length)
  expect(at.isHeld()).toBe(true)
  expect(at.told(config)).toHaveLength(1)
  expect(await changeOf(change.id)).toMatchObject({ state: 'rejected', fingerprint: change.fingerprint })
})

test('what was rejected stays so, and held, while those of its nodes that lack it are in no pool at all', async () => {
  const config = 'rendered-worker-f'
  const change = await comes(config)
  await reject(change)
  const [one, ...others] = names()
  await at.annotate(one!, `${PREFIX}desiredConfig`, config)
  await settled()
  await until('that to be on record', async () => (await actions(change.id)).includes('change.moved-unapproved'))
  const label = async (worker: string | null) => {
    const labels = { 'node-role.kubernetes.io/worker': worker }
    for (const node of others) await at.server.store.merge('nodes', node, { metadata: { labels } }, SOMEBODY)
  }
  await label(null)
  await lacking(change.id, 0)
  expect(at.isHeld()).toBe(true)
  expect(await changeOf(change.id)).toMatchObject({ state: 'rejected' })
  expect(await letGo()).not.toBe(change.digest)
  await label('')
  await lacking(change.id, others.length)
  expect(at.isHeld()).toBe(true)
  expect(at.told(config)).toHaveLength(1)
  expect(await changeOf(change.id)).toMatchObject({ state: 'rejected', fingerprint: change.fingerprint })
})

test('what waits for a pool that is scaled to nothing is not taken back; approved there, it is let go, and has tried nothing', async () => {
  const config = 'rendered-worker-e'
  const change = await comes(config)
  for (const name of names()) await at.server.store.delete('nodes', name, undefined as never)
  await lacking(change.id, 0)
  expect(at.isHeld()).toBe(true)
  expect(await changeOf(change.id)).toMatchObject({ state: 'waiting' })
  expect(await actions(change.id)).not.toContain('change.taken-back')
  await at.approve(change)
  await until('it to be over', async () => (await changeOf(change.id)).state === 'done')
  expect(at.isHeld()).toBe(false)
  await until('it to be known', async () => (await letGo()) === change.digest)
  const { groupId, wish } = await changeOf(change.id)
  expect((await newestOf(db(), [groupId])).get(groupId)).toMatchObject({ wish, unmoved: true })
  const had = (await poolsHave(db(), [groupId])).get(groupId) ?? []
  expect(had.filter((one) => one.wish === wish)).toEqual([])
})
