import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 150_000, hookTimeout: 120_000 })
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

const names = () => at.nodes().map(({ metadata }) => metadata.name)
const row = (id: string) => db().change.findUniqueOrThrow({ where: { id } })

/** It waits for its approval, and each node is known, most of them as waiting. */
async function held(config: string): Promise<string> {
  await at.render(config)
  const { id: changeId } = await at.waits(config)
  await until('the pool to be held', async () => at.isHeld())
  await until('its nodes to be known', async () => {
    const known = await db().machineProgress.count({ where: { changeId } })
    return known === names().length && db().machineProgress.findFirst({ where: { changeId, state: 'waiting' } })
  })
  return changeId
}

/** Somebody resumes the pool, and all nodes take up what waited. `all`: nothing of Drydock's stays on it. */
async function goesThrough(config: string, all: boolean): Promise<void> {
  const annotations = at.pool().metadata.annotations ?? {}
  const ours = Object.keys(annotations).filter((key) => key.includes('drydock'))
  const metadata = { annotations: Object.fromEntries(ours.map((key) => [key, null])) }
  await at.write('worker', { ...(all ? { metadata } : {}), spec: { paused: false } })
  const said = () => (at.pool().status?.configuration as { name: string }).name === config
  await until('all nodes to have it', () => Promise.resolve(at.told(config).length === names().length && said()))
}

/** It came to its end by nobody's word, and every node is on record with it that had it not when it was first looked at. */
async function onRecord(id: string): Promise<void> {
  const change = await until('it to be over', async () => {
    const now = await row(id)
    return ['done', 'reverted', 'superseded'].includes(now.state) && now
  })
  expect(change.state).toBe('done')
  const events = await db().auditEvent.findMany({ where: { targetId: id } })
  const told = events.filter(({ action }) => action === MOVED_UNAPPROVED)
  const first = await db().machineProgress.findMany({ where: { changeId: id, predicted: 'up-to-date' } })
  const had = first.map(({ machineName }) => machineName)
  const took = names().filter((name) => !had.includes(name))
  expect(took.length).toBeGreaterThan(3)
  expect(told.flatMap(({ details }) => (details as { nodes: string }).nodes.split(', ')).sort()).toEqual(took.sort())
  expect(told.map(({ reason }) => reason).join()).toContain('It was not approved when')
  expect(events.map(({ action }) => action)).not.toContain('change.taken-back')
  expect(await db().machineProgress.count({ where: { changeId: id, state: { not: 'done' } } })).toBe(0)
  await until('the pool to be let be', () => Promise.resolve(!at.isHeld() && at.pool().spec?.paused !== true))
}

test.each([
  ['and took away all that Drydock had written', true, 'rendered-worker-x'],
  ['and no more than that', false, 'rendered-worker-y'],
])(
  'what waits, and all nodes took up while no worker ran, is done, and they are on record by name: somebody resumed the pool, %s',
  async (_, all, config) => {
    const id = await held(config)
    await worker!.stop()
    worker = null
    await goesThrough(config, all)
    worker = await follow()
    await onRecord(id)
  },
)

test('so is what they took up while the API server answered nobody, and the worker ran on', async () => {
  const id = await held('rendered-worker-z')
  at.server.faults.fail(503)
  at.server.faults.gone()
  await until('the watch to be away', () =>
    db().stream.findFirst({ where: { clusterId: at.clusterId, state: { not: 'watching' } } }),
  )
  await goesThrough('rendered-worker-z', false)
  at.server.faults.fail(0)
  await onRecord(id)
})
