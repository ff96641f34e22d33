import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { closeClients } from '@/lib/services/clusters/connection'
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
const begun = (changeId: string) => db().machineProgress.count({ where: { changeId, startedAt: { not: null } } })
const DESIRED = 'machineconfiguration.openshift.io/desiredConfig'

test('what began after its only approval was taken back, by nobody’s word, keeps to its wave', async () => {
  await policy({ approvals: 1 })
  await drains('blocked')
  // Somebody's own pause: nothing begins by the approval.
  await at.write('worker', { spec: { paused: true } })
  await at.render('rendered-worker-a')
  const { id } = await at.waits('rendered-worker-a')
  await until('the pool to be held', async () => at.isHeld())
  await at.approve(await at.waits('rendered-worker-a'))
  await until('it to be let go', async () => !at.isHeld() && (await row(id)).state === 'running')
  await withdrawApproval(as('approver'), { changeId: id })
  await until('it to be held again', async () => at.isHeld() && (await row(id)).state === 'waiting')
  expect(await begun(id)).toBe(0)
  expect(await db().decision.findMany({ where: { changeId: id } })).toMatchObject([{ state: 'voided' }])

  // Longer ago than what began under it may be seen late.
  const [hour, two] = [1, 2].map((hours) => new Date(Date.now() - hours * 3_600_000))
  await db().decision.updateMany({ where: { changeId: id }, data: { acceptedAt: two, voidedAt: hour } })
  // A node slips while no approval stands: told in a moment in which somebody resumed it, or before it was paused.
  await at.annotate(at.nodes()[0]!.metadata.name, DESIRED, 'rendered-worker-a')
  await until('a node to have begun', async () => (await begun(id)) > 0)
  const record = () => db().auditEvent.findFirst({ where: { targetId: id, action: MOVED_UNAPPROVED } })
  await until('that to be on record', async () => (await record()) !== null)
  expect((await record())!.reason).toBe(`No approval of it was in force when ${at.nodes()[0]!.metadata.name} began.`)
  await policy({ waves: [{ name: 'canary', select: { names: ['gpu'] } }] })
  await until('it to be placed', async () => (await row(id)).wave !== null)
  // Nobody tried the canary.
  expect((await row(id)).wave).toMatchObject({ state: 'waits' })
  await at
    .write('worker', { metadata: { annotations: { 'drydock.dev/paused': null } }, spec: { paused: false } })
    .catch(() => {})
  await until('it to wait, held', async () => at.isHeld() && (await row(id)).state === 'waiting')
  const told = at.told('rendered-worker-a').length
  await at.approve(await at.waits('rendered-worker-a'))
  await drains(null)
  await until('it to wait for its wave', async () => (await row(id)).dueMode !== null)
  expect(await row(id)).toMatchObject({ state: 'waiting', wave: { state: 'waits' } })
  expect(at.isHeld()).toBe(true)
  expect(at.told('rendered-worker-a')).toHaveLength(told)
})

test('a worker whose clock is ten minutes ahead of the web’s: an approval by which nothing began expires all the same', async () => {
  await db().rolloutPolicy.deleteMany({})
  await drains(null)
  await db()
    .change.findFirst({ where: { groupName: 'worker', state: 'waiting' } })
    .then((c) => c && at.approve(c))
  await at.change('done').catch(() => {})
  await policy({ approvals: 1, expiresAfter: '1h' })
  await drains('blocked')
  await at.render('rendered-worker-b')
  const { id } = await at.waits('rendered-worker-b')
  await until('the pool to be held', async () => at.isHeld())
  if (at.told('rendered-worker-b').length === 0)
    await at.annotate(at.nodes()[0]!.metadata.name, DESIRED, 'rendered-worker-b')
  await until('a node to have begun', async () => (await begun(id)) > 0)
  // As that worker's clock has it.
  for (const { machineId, startedAt } of await db().machineProgress.findMany({
    where: { changeId: id, startedAt: { not: null } },
  }))
    await db().machineProgress.update({
      where: { changeId_machineId: { changeId: id, machineId } },
      data: { startedAt: new Date(startedAt!.getTime() + 600_000) },
    })
  await at.write('worker', { metadata: { annotations: { 'drydock.dev/paused': null } }, spec: { paused: true } })
  await until('the pause to be somebody’s own', () =>
    db().group.findFirst({ where: { clusterId: at.clusterId, name: 'worker', paused: true } }),
  )
  await at.approve(await at.waits('rendered-worker-b'))
  await until('it to be let go', async () => !at.isHeld() && (await row(id)).state === 'running')
  const [long, over] = [new Date(Date.now() - 3 * 3_600_000), new Date(Date.now() - 3_600_000)]
  await db().approval.updateMany({ where: { changeId: id, endedAt: null }, data: { at: long, expiresAt: over } })
  await until('it to expire', async () => at.isHeld() && (await row(id)).state === 'waiting', 20)
})
