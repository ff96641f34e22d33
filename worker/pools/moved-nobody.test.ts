import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { NOT_HELD } from '@/lib/services/changes/let-go-outside'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, SOMEBODY, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const PREFIX = 'machineconfiguration.openshift.io/'
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

const wanted = () => (at.pool().spec!.configuration as { name: string }).name
const over = (id: string) =>
  until('it to be over', async () => {
    const now = await db().change.findUniqueOrThrow({ where: { id } })
    return ['done', 'reverted', 'superseded'].includes(now.state) && now
  })
const letGo = async () =>
  (await db().group.findFirstOrThrow({ where: { clusterId: at.clusterId, name: 'worker' } })).letGo
const unapproved = () => db().auditEvent.count({ where: { action: { in: [NOT_HELD, MOVED_UNAPPROVED] } } })
/** The last ones: what is on its way is none of them, and is made schedulable again when it is through. */
const cordon = async (unschedulable: boolean | null) => {
  for (const { metadata } of at.nodes().slice(-2))
    await at.server.store.merge('nodes', metadata.name, { spec: { unschedulable } }, SOMEBODY)
}

test('what was let go, began nowhere and was gone back from is taken back, and moved nobody', async () => {
  const before = wanted()
  const config = 'rendered-worker-b'
  const known = await until('what it has to be known', letGo)
  // As many are out of work as may be: none begins.
  await cordon(true)
  await at.render(config)
  const change = await at.waits(config)
  await until('it to be held', async () => at.isHeld())
  await at.approve(change)
  await at.change('running')
  await until('it to be known as let go', async () => (await letGo()) === change.digest)
  expect(at.told(config)).toEqual([])
  await at.point(before)
  expect((await over(change.id)).state).toBe('reverted')
  await until('what it has to be known again', async () => (await letGo()) === known)
  expect(at.told(before)).toHaveLength(at.nodes().length)
  expect(await db().change.count({ where: { clusterId: at.clusterId, groupName: 'worker' } })).toBe(1)
  expect(await unapproved()).toBe(0)
  await cordon(null)
})

test('what was gone back to, and whose only nodes elsewhere were deleted while it was held, is over and moved nobody', async () => {
  const before = wanted()
  const config = 'rendered-worker-c'
  const of = (key: string, config: string) =>
    at.nodes().filter(({ metadata }) => metadata.annotations![PREFIX + key] === config)
  await at.render(config)
  const first = await at.waits(config)
  await until('it to be held', async () => at.isHeld())
  await at.approve(first)
  await until('a node to have it', () => Promise.resolve(of('currentConfig', config).length > 0))
  // As many are out of work as may be: none goes back before that is held.
  await cordon(true)
  await until('nothing to be under way', async () =>
    at.nodes().every(({ metadata: { annotations = {} } }) => {
      const said = (key: string) => annotations[PREFIX + key]
      return said('currentConfig') === said('desiredConfig') && said('state') === 'Done'
    }),
  )
  await at.point(before)
  const change = await at.waits(before)
  await until('it to be held', async () => at.isHeld())
  const begun = () => db().machineProgress.count({ where: { changeId: change.id, startedAt: { not: null } } })
  const moved = (await begun()) > 0
  for (const { metadata } of of('currentConfig', config))
    await at.server.store.delete('nodes', metadata.name, undefined as never)
  await over(change.id)
  const where = { targetId: change.id, action: NOT_HELD }
  expect(await db().auditEvent.count({ where })).toBe(0)
  expect(moved).toBe(false)
  await cordon(null)
  await until('it to be held no more', async () => !at.isHeld())
})
