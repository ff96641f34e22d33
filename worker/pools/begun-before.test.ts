import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { closeClients } from '@/lib/services/clusters/connection'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { installLatch } from '@/lib/services/latch/install-latch'
import { as } from '@/testenv/deciding'
import { follow, GovernedPools, policy, until } from '@/testenv/governed-pools'
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
afterEach(() => db().rolloutPolicy.deleteMany({}))

const row = (id: string) => db().change.findUniqueOrThrow({ where: { id } })
const drains = async (blocked: 'blocked' | null) => {
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', blocked)
}

/** Held by pausing, and a node was told before that: it began by nobody's word. */
async function slipped(config: string) {
  await drains('blocked')
  await at.render(config)
  const { id } = await at.waits(config)
  await until('the pool to be held', async () => at.isHeld())
  if (at.told(config).length === 0)
    await at.annotate(at.nodes()[0]!.metadata.name, 'machineconfiguration.openshift.io/desiredConfig', config)
  const begun = { changeId: id, startedAt: { not: null } }
  await until('a node to have begun', async () => (await db().machineProgress.count({ where: begun })) > 0)
  return at.waits(config)
}

/** Through to the end: the next test begins anew. */
async function finish(): Promise<void> {
  await db().rolloutPolicy.deleteMany({})
  await drains(null)
  await at.change('done')
}

test('a wave before it that nobody tried keeps it waiting, approved or not', async () => {
  await policy({ waves: [{ name: 'canary', select: { names: ['gpu'] } }] })
  const { id } = await slipped('rendered-worker-a')
  await until('it to be placed', async () => (await row(id)).wave !== null)
  expect((await row(id)).wave).toMatchObject({ state: 'waits' })
  await at.approve(await at.waits('rendered-worker-a'))
  expect(await row(id)).toMatchObject({ state: 'waiting', wave: { state: 'waits' } })
  expect(at.isHeld()).toBe(true)
  await finish()
})

test('under somebody’s own pause, an approval by which nothing moved is taken back, or expires', async () => {
  await policy({ approvals: 1, expiresAfter: '1h' })
  await slipped('rendered-worker-b')
  await at.write('worker', { metadata: { annotations: { 'drydock.dev/paused': null } }, spec: { paused: true } })
  const paused = () => db().group.findFirst({ where: { clusterId: at.clusterId, name: 'worker', paused: true } })
  await until('the pause to be somebody’s own', paused)
  const waits = await at.waits('rendered-worker-b')
  expect(await at.approve(waits)).toMatchObject({ state: 'accepted' })
  await until('it to be let go', async () => !at.isHeld() && (await row(waits.id)).state === 'running')
  await withdrawApproval(as('approver'), { changeId: waits.id })
  await until('it to be held again', async () => at.isHeld() && (await row(waits.id)).state === 'waiting')

  await at.approve(await at.waits('rendered-worker-b'))
  await until('it to be let go', async () => !at.isHeld() && (await row(waits.id)).state === 'running')
  const [long, over] = [new Date(Date.now() - 3 * 3_600_000), new Date(Date.now() - 3_600_000)]
  await db().approval.updateMany({ where: { changeId: waits.id, endedAt: null }, data: { at: long, expiresAt: over } })
  await until('it to expire', async () => at.isHeld() && (await row(waits.id)).state === 'waiting')
  await at.write('worker', { spec: { paused: false } })
  await at.approve(await at.waits('rendered-worker-b'))
  await finish()
})

test('where its policy asks nobody it goes by itself', async () => {
  await policy({ approvals: 0 })
  await drains('blocked')
  await at.render('rendered-worker-c')
  const gone = { clusterId: at.clusterId, groupName: 'worker', state: { in: ['running', 'stuck'] } }
  await until('it to go', () => db().change.findFirst({ where: gone }))
  await finish()
})

test('what hangs of what began by nobody’s word is told, while the rest waits for its approval', async () => {
  const { id } = await slipped('rendered-worker-e')
  const { name } = at.told('rendered-worker-e')[0]!.metadata
  await at.annotate(name, 'machineconfiguration.openshift.io/reason', 'disk pressure')
  await at.annotate(name, 'machineconfiguration.openshift.io/state', 'Degraded')
  const hangs = { id, state: 'waiting', stuckReason: { startsWith: `${name}: ` } }
  await until('what hangs to be told', () => db().change.findFirst({ where: hangs }), 20)
  const needs = await needsYou(as('approver'), {})
  expect(needs.find((need) => need.id === id)).toMatchObject({
    kind: 'approval',
    sentence: expect.stringMatching(`^Waiting for your approval\\. What it had begun is stuck: ${name}: `),
  })
})
