import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { pausePool } from '@/lib/services/pools/pause-pool'
import { previewPool } from '@/lib/services/pools/preview-pool'
import { recordPool } from '@/lib/services/pools/record-pool'
import { resumePool } from '@/lib/services/pools/resume-pool'
import { as, failure } from '@/testenv/deciding'
import { follow, GovernedPools, SOMEBODY, until } from '@/testenv/governed-pools'
import type { Worker } from '../worker'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let at: GovernedPools
let worker: Worker | null
let poolId = ''

beforeAll(async () => {
  at = await GovernedPools.start('tidal', 30)
  worker = await follow()
  await installLatch(as('admin'), { clusterId: at.clusterId, governs: 'all' })
  await at.governed(true)
  poolId = (await db().configPool.findFirstOrThrow({ where: { name: 'worker' } })).id
})
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await at?.stop()
})

const looked = async (action: 'pause' | 'resume') => {
  const { uid, resourceVersion, generation } = await previewPool(as('approver'), { poolId, action })
  return { uid, resourceVersion, generation: generation! }
}
const pause = async () => {
  await pausePool(as('operator'), { poolId, ...(await looked('pause')) })
  await until('the pause to be seen', () => db().configPool.findFirst({ where: { id: poolId, paused: true } }))
}
const resume = async () => resumePool(as('approver'), { poolId, ...(await looked('resume')) })
const away = async () => {
  await worker!.stop()
  worker = null
}
/** By no way of the product: the sheet is refused, and what is sent without one. */
async function isRefused(what: string): Promise<void> {
  const { uid, resourceVersion, generation } = at.pool().metadata
  const seen = { uid, resourceVersion, generation: generation! }
  const refused = { code: 'conflict', message: expect.stringContaining(`wants ${what} that Drydock has not looked at`) }
  expect(await failure(previewPool(as('approver'), { poolId, action: 'resume' }))).toMatchObject(refused)
  expect(await failure(resumePool(as('approver'), { poolId, ...seen }))).toMatchObject(refused)
  const wish = { clusterId: at.clusterId, name: 'worker', action: 'resume' as const, ...seen }
  expect(await recordPool(as('approver'), wish)).toMatchObject({ state: 'failed', conflict: true })
  expect(at.pool().spec?.paused).toBe(true)
}

test('what comes to a paused pool while no worker is there is not let go by resuming, and waits for its approval after that', async () => {
  await pause()
  await away()
  await at.render('rendered-worker-a')
  expect(at.pool().metadata.annotations ?? {}).not.toHaveProperty([HELD])
  await isRefused('a configuration')
  // The operator has counted by then that nobody has it.
  await until('it to be counted', () => Promise.resolve(at.pool().status?.updatedMachineCount === 0))
  await isRefused('a configuration')
  worker = await follow()
  await at.approve(await at.waits('rendered-worker-a'))
})

test('what is approved, and was paused by a person before it began or in the middle, is resumed, also while no worker is there', async () => {
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', 'blocked')
  await until('it not to be held', () => Promise.resolve(!(HELD in (at.pool().metadata.annotations ?? {}))))
  await resume()
  await at.change('running')
  await until('a node to begin', () => Promise.resolve(at.told('rendered-worker-a').length > 0))
  await pause()
  await away()
  // Somebody pauses the rollout itself, and nobody is there to hold it for that.
  await pauseChange(as('approver'), { changeId: (await at.change('running')).id, reason: 'not now' })
  expect(await failure(looked('resume'))).toMatchObject({ code: 'conflict', message: expect.stringMatching(/paused by .*not now/) }) // prettier-ignore
  await resumeChange(as('approver'), { changeId: (await at.change('running')).id })
  const { follows } = await previewPool(as('approver'), { poolId, action: 'resume' })
  expect(follows.at(-1)).toMatch(/^Whatever comes next is taken up at once: the pool is governed, and not held now: /)
  await resume()
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', null)
  worker = await follow()
  await at.change('done')
})

test('what is approved, and was taken back while no worker is there, is not let go by resuming the pool', async () => {
  await pause()
  await at.render('rendered-worker-t')
  const change = await at.waits('rendered-worker-t')
  await at.approve(change)
  await until('it not to be held', () => Promise.resolve(!(HELD in (at.pool().metadata.annotations ?? {}))))
  await away()
  await withdrawApproval(as('approver'), { changeId: change.id })
  const refused = { code: 'conflict', message: expect.stringContaining('took the approval back') as string }
  expect(await failure(looked('resume'))).toMatchObject(refused)
  const { uid, resourceVersion, generation } = at.pool().metadata
  const seen = { uid, resourceVersion, generation: generation! }
  expect(await failure(resumePool(as('approver'), { poolId, ...seen }))).toMatchObject(refused)
  expect(at.pool().spec?.paused).toBe(true)
  worker = await follow()
  await at.approve(await at.waits('rendered-worker-t'))
  await until('it not to be held', () => Promise.resolve(!(HELD in (at.pool().metadata.annotations ?? {}))))
  await resume()
  await at.change('done')
})

test('nor is what comes then to a pool that has no node, which whichever comes would take up', async () => {
  const config = 'rendered-worker-b'
  const names = at.nodes().map(({ metadata }) => metadata.name)
  const move = async (gpu: string | null) => {
    const labels = { 'node-role.kubernetes.io/gpu': gpu }
    for (const name of names) await at.server.store.merge('nodes', name, { metadata: { labels } }, SOMEBODY)
  }
  await move('')
  await until('no node to be left', () => Promise.resolve(at.pool().status?.machineCount === 0))
  await pause()
  await away()
  await at.render(config)
  const has = () => (at.pool().status?.configuration as { name?: string } | undefined)?.name === config
  await until('its operator to say that all have it', () => Promise.resolve(has()))
  await isRefused('a configuration')
  worker = await follow()
  await at.approve(await at.waits(config))
  await until('it not to be held', () => Promise.resolve(!(HELD in (at.pool().metadata.annotations ?? {}))))
  await resume()
  await move(null)
  await until('all to have it', async () => {
    const rows = await db().configNode.findMany({ where: { pool: 'worker' } })
    return rows.length === names.length && rows.every(({ currentConfig }) => currentConfig === config)
  })
})

test('nor is an OS image that is built then, and what all nodes have is resumed', async () => {
  await pause()
  await away()
  await resume()
  worker = await follow()
  await until('it to be seen', () => db().configPool.findFirst({ where: { id: poolId, paused: false } }))
  await pause()
  await away()
  const image = `registry.example/os@sha256:${'1'.repeat(64)}`
  await at.build(image)
  await isRefused('an OS image')
  expect(at.toldImage(image)).toEqual([])
})
