import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, POOL_PAUSED } from '@/lib/domain/latch/names'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { as } from '@/testenv/deciding'
import { startGate, type Gate } from '../gate'
import type { Worker } from '../worker'
import { follow, GovernedPools, policy, until } from '@/testenv/governed-pools'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })
useTestDatabase()

let gate: Gate
let one: GovernedPools
let worker: Worker | null

afterEach(() => db().rolloutPolicy.deleteMany({}))
beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  one = await GovernedPools.start('anker', 8)
  worker = await follow()
  await until(
    'its pools',
    async () => (await db().group.count({ where: { clusterId: one.clusterId, kind: 'MachineConfigPool' } })) === 2,
  )
  await installLatch(as('admin'), {
    clusterId: one.clusterId,
    governs: 'all',
    pools: 'same-write',
    webhookUrl: `${gate.url}/latch`,
  })
  await one.governed()
})
afterAll(async () => {
  await worker?.stop()
  await gate?.stop()
  await closeClients()
  await one?.stop()
})

test('a rollout that was changed back in the middle, and approved, can be paused while nodes have not begun', async () => {
  const first = (one.pool().spec?.configuration as { name: string }).name
  await one.render('rendered-worker-a')
  await one.approve(await one.waits('rendered-worker-a'))
  await one.change('running')
  await until('three nodes to be told', () => Promise.resolve(one.told('rendered-worker-a').length >= 4))
  await one.point(first)
  expect(one.isHeld()).toBe(true)
  const back = await until('the way back to wait', async () => {
    const newest = await db().change.findFirst({
      where: { clusterId: one.clusterId, groupName: 'worker' },
      orderBy: { detectedAt: 'desc' },
    })
    return newest?.state === 'waiting' &&
      newest.summary !== null &&
      !JSON.stringify(newest.outlook).includes('to rendered-worker-a')
      ? newest
      : null
  })
  await one.approve(back)
  const { id } = await one.change('running')
  const row = () => db().change.findUniqueOrThrow({ where: { id } })
  await until(
    'nodes that have not begun, and are to go back',
    async () => one.told('rendered-worker-a').length >= 2 && (await row()).outcome,
  )
  // Its windows are closed from now on, and somebody pauses it besides.
  await policy({
    windows: [{ starts: new Date(Date.now() + 86_400_000).toISOString().slice(0, 16), lasts: '2h', timeZone: 'UTC' }],
  })
  const refused = await pauseChange(as('approver'), { changeId: id, reason: 'pager' }).then(
    () => null,
    (error: Error) => error.message,
  )
  await until('it to be held, or over', async () => one.isHeld() || (await row()).state === 'done')
  const now = await row()
  expect({ refused, held: one.isHeld(), was: now.state }).toMatchObject({ refused: null, held: true })
})

test('changed back in the middle, and its hold taken away by somebody who may: a pause here holds what nobody approved', async () => {
  const first = (one.pool().spec?.configuration as { name: string }).name
  await one.render('rendered-worker-b')
  await one.approve(await one.waits('rendered-worker-b'))
  await one.change('running')
  await until('three nodes to be told', () => Promise.resolve(one.told('rendered-worker-b').length >= 4))
  await one.point(first)
  expect(one.isHeld()).toBe(true)
  await until('the way back to wait', async () => {
    const newest = await db().change.findFirst({
      where: { clusterId: one.clusterId, groupName: 'worker' },
      orderBy: { detectedAt: 'desc' },
    })
    return newest?.state === 'waiting' &&
      newest.summary !== null &&
      !JSON.stringify(newest.outlook).includes('to rendered-worker-b')
      ? newest
      : null
  })
  await one.write(
    'worker',
    { metadata: { annotations: { [HELD]: null, [POOL_PAUSED]: null } }, spec: { paused: false } },
    { user: 'kim', groups: ['drydock:break-glass', 'system:masters'], fieldManager: 'kubectl-edit' },
  )
  const { id } = await one.change('running')
  const row = () => db().change.findUniqueOrThrow({ where: { id } })
  await until(
    'nodes that have not begun, and are to go back',
    async () => one.told('rendered-worker-b').length >= 2 && (await row()).outcome,
  )
  const refused = await pauseChange(as('approver'), { changeId: id, reason: 'pager' }).then(
    () => null,
    (error: Error) => error.message,
  )
  await until('it to be held, or over', async () => one.isHeld() || (await row()).state === 'done')
  const now = await row()
  expect({ refused, held: one.isHeld(), was: now.state }).toMatchObject({ refused: null, held: true })
})
