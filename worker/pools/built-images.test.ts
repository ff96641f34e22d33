import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, POOL_PAUSED } from '@/lib/domain/latch/names'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { getPool } from '@/lib/services/pools/get-pool'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, SOMEBODY, until } from '@/testenv/governed-pools'
import { startGate, type Gate } from '../gate'
import type { Worker } from '../worker'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const image = (round: number) => `registry.example/os@sha256:${String(round).repeat(64)}`
let gate: Gate
let watched: GovernedPools
let latched: GovernedPools
let blind: GovernedPools
let worker: Worker | null

beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  watched = await GovernedPools.start('tidal', 30)
  latched = await GovernedPools.start('anker', 30)
  blind = await GovernedPools.start('boje', 30, null, ['machineosconfigs'])
  worker = await follow()
  const all = { governs: 'all' as const }
  for (const at of [watched, blind]) {
    await installLatch(as('admin'), { clusterId: at.clusterId, ...all })
    await at.governed(true)
  }
  await until('its pools', () => db().group.findFirst({ where: { clusterId: latched.clusterId, name: 'worker' } }))
  const webhook = { form: 'webhook' as const, webhookUrl: `${gate.url}/latch` }
  await installLatch(as('admin'), { clusterId: latched.clusterId, ...all, ...webhook })
  await latched.governed()
})
afterAll(async () => {
  await worker?.stop()
  await gate?.stop()
  await closeClients()
  for (const at of [watched, latched, blind]) await at?.stop()
})

const idOf = async (at: GovernedPools) =>
  (await db().configPool.findFirstOrThrow({ where: { clusterId: at.clusterId, name: 'worker' } })).id
const many = (at: GovernedPools) => (at.pool().spec?.maxUnavailable as number | undefined) ?? 1

for (const form of ['watched', 'latched'] as const)
  test(`${form}: another OS image is held before the rest of the nodes is told, and an approval is of that image`, async () => {
    const at = form === 'watched' ? watched : latched
    await at.build(null)
    await until('it to be said', async () =>
      (await getPool(as('viewer'), { id: await idOf(at) })).hold.strength.includes('OS images that are built for it'),
    )
    expect(at.isHeld()).toBe(false)
    // Who wrote the configuration has not brought the image.
    at.write('worker', { spec: { configuration: { source: [] } } })
    await at.build(image(1))
    await until('the pool to be held', async () => at.isHeld())
    const first = await at.waits(image(1))
    expect(first).toMatchObject({ summary: 'another OS image', heldBy: 'latch', author: null })
    expect(at.pool().metadata.annotations).toMatchObject({ [POOL_PAUSED]: 'drydock' })
    const page = await until('its page to tell of an image', async () => {
      const found = await getPool(as('viewer'), { id: await idOf(at) })
      return found.sentence.includes('while another OS image waits') ? found : null
    })
    expect(page).toMatchObject({ image: { name: image(1) }, hold: { change: { image: true } } })
    expect(at.toldImage(image(1)).length).toBeLessThanOrEqual(many(at))
    expect(at.isHeld()).toBe(true)
    // What is approved is that image: another one that is built meanwhile is another change.
    await at.build(image(2))
    const second = await at.waits(image(2))
    expect(second.fingerprint).not.toBe(first.fingerprint)
    expect(await db().change.findUnique({ where: { id: first.id } })).toMatchObject({ state: 'superseded' })
    expect(at.toldImage(image(2))).toEqual([])
    expect(await at.approve(second)).toMatchObject({ state: 'accepted' })
    expect(await at.change('done')).toMatchObject({ id: second.id })
    expect(at.toldImage(image(2))).toHaveLength(at.nodes().length)
    const rows = await db().machineProgress.findMany({ where: { changeId: second.id } })
    expect(rows.map(({ state }) => state)).toEqual(at.nodes().map(() => 'done'))
    expect(at.pool().metadata.annotations).not.toHaveProperty([HELD])
    // No image any more: nodes go back to that of the release, which is somebody's to approve as well.
    await at.server.store.delete('machineosconfigs.machineconfiguration.openshift.io', 'worker', SOMEBODY)
    await until('the pool to be held', async () => at.isHeld())
    const back = await at.waits('the OS image of the release')
    expect(back.author).toBeNull()
    await at.approve(back)
    await at.change('done')
    expect(at.toldImage(image(2))).toEqual([])
  })

test('a new configuration of such a pool, and the image that is built for it, are approved one after the other', async () => {
  await watched.build(image(3))
  await watched.approve(await watched.waits(image(3)))
  await watched.change('done')
  await watched.render('rendered-worker-x')
  const config = await watched.waits('rendered-worker-x')
  expect(JSON.stringify(config.outlook)).toContain('waits for an approval of its own')
  await watched.build(image(4))
  const both = await watched.waits(image(4))
  expect(JSON.stringify(both.outlook)).toContain('file /etc/motd, with the OS image')
  await watched.approve(both)
  await watched.change('done')
})

test('where Drydock may not read what is built, it says so, and puts on record what moves unapproved', async () => {
  const { hold } = await getPool(as('viewer'), { id: await idOf(blind) })
  expect(hold.strength).toContain('whether OS images are built for it is not known')
  await blind.build(image(5))
  // Its operator's count may come before the rows of its nodes: then it is told as a configuration, and may be through as that.
  const told = { clusterId: blind.clusterId, action: 'change.not-held', targetName: 'worker' }
  await until('it to be on record', async () => (await db().auditEvent.count({ where: told })) > 0)
  await blind.change('done')
})
