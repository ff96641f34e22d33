import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { closeClients } from '@/lib/services/clusters/connection'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { installLatch } from '@/lib/services/latch/install-latch'
import { getPool } from '@/lib/services/pools/get-pool'
import { listPools } from '@/lib/services/pools/list-pools'
import { renderNext } from '@/sandbox/openshift/controllers/pools/render'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, until } from '@/testenv/governed-pools'
import { startGate, type Gate } from '../gate'
import type { Worker } from '../worker'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const SPEED = 60
let gate: Gate
let at: GovernedPools
let worker: Worker | null
let stopped = false

const start = (port: number) => startGate({ host: '127.0.0.1', port, hosts: ['127.0.0.1'] })

beforeAll(async () => {
  gate = await start(0)
  at = await GovernedPools.start('anker', SPEED)
  worker = await follow()
  const where = () => ({ clusterId: at.clusterId, kind: 'MachineConfigPool' })
  await until('its pools', async () => (await db().group.count({ where: where() })) === 2)
  await installLatch(as('admin'), {
    ...{ clusterId: at.clusterId, governs: 'all', pools: 'same-write', webhookUrl: `${gate.url}/latch` },
  })
  await at.governed()
})
afterAll(async () => {
  stopped = true
  await worker?.stop()
  await gate?.stop()
  await closeClients()
  await at?.stop()
})

test('a gate that is away degrades the pool whose configuration it refuses, which says so and is held once the gate is back', async () => {
  const env = {
    store: at.server.store,
    sleep: (seconds: number) =>
      new Promise<boolean>((resolve) => setTimeout(() => resolve(!stopped), (seconds * 1000) / SPEED)),
    stopped: () => stopped,
  }
  const conditions = () =>
    (at.pool().status as { conditions: { type: string; status: string; message?: string }[] }).conditions
  const render = () => conditions().find(({ type }) => type === 'RenderDegraded')
  const { id } = await db().configPool.findFirstOrThrow({ where: { clusterId: at.clusterId, name: 'worker' } })
  const config = () => (at.pool().spec?.configuration as { name: string }).name
  const before = config()

  await gate.stop()
  const rendering = renderNext(env, 'anker', 'worker', 2)
  const words =
    /^The operator could not give it a newer configuration: no valid answer came from Drydock’s webhook \(dial tcp 127\.0\.0\.1:\d+: connect: connection refused\)\. No MachineConfig is at fault\. .* what is held stays held; the operator tries again by itself\.$/
  const page = await until('its page to say so', async () => {
    const found = await getPool(as('viewer'), { id })
    return found.state === 'degraded' && found
  })
  expect(page.sentence).toMatch(words)
  expect(render()).toMatchObject({
    status: 'True',
    message: expect.stringMatching(/^Failed to render configuration for pool worker: .*latch\.drydock\.dev/) as string,
  })
  expect((await listPools(as('viewer'), {})).pools.find((pool) => pool.id === id)?.sentence).toMatch(words)
  expect((await needsYou(as('viewer'), {})).find(({ kind }) => kind === 'pool')).toMatchObject({
    id,
    sentence: page.sentence,
  })
  expect(config()).toBe(before)

  gate = await start(gate.port)
  await rendering
  expect(config()).not.toBe(before)
  expect(at.isHeld()).toBe(true)
  expect(at.pool().metadata.annotations?.[HELD]).toBe(`Waiting for approval in Drydock: to ${config()}`)
  expect(at.told(config())).toEqual([])
  expect(render()).toMatchObject({ status: 'False', message: '' })
  await at.waits(config())
  const after = await until('its page to say that it waits', async () => {
    const found = await getPool(as('viewer'), { id })
    return found.state === 'behind' && found
  })
  expect(after.sentence).toMatch(/^Paused and behind/)
  expect(conditions().find(({ type }) => type === 'Degraded')).toMatchObject({ status: 'False' })
})
