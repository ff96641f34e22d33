import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Change } from '@/lib/db/generated/client'
import { approveChange } from '@/lib/services/changes/approve-change'
import { outlookIn } from '@/lib/services/changes/change-row'
import { previewSeveral } from '@/lib/services/changes/preview-several'
import { HELD } from '@/lib/domain/latch/names'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { SHOWED_FEWER } from '@/lib/services/policies/timing'
import { previewPool } from '@/lib/services/pools/preview-pool'
import { as, failure } from '@/testenv/deciding'
import { follow, GovernedPools, policy, until } from '@/testenv/governed-pools'
import { startGate, type Gate } from '../gate'
import type { Worker } from '../worker'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })
useTestDatabase()

let gate: Gate
let at: GovernedPools
let worker: Worker | null

beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  at = await GovernedPools.start('tidal')
  worker = await follow()
  const { clusterId } = at
  await until(
    'its pools',
    async () => (await db().group.count({ where: { clusterId, kind: 'MachineConfigPool' } })) === 2,
  )
  const webhookUrl = `${gate.url}/latch`
  // Nothing begins before it is let go.
  await installLatch(as('admin'), { clusterId, governs: 'all', pools: 'same-write', webhookUrl })
  await at.governed()
})
afterAll(async () => {
  await worker?.stop()
  await gate?.stop()
  await closeClients()
  await at?.stop()
})
afterEach(() => db().rolloutPolicy.deleteMany({}))

const says = (maxUnavailable: number | string) => at.write('worker', { spec: { maxUnavailable } })
/** It waits, and is shown with this limit. */
const shown = async (config: string, limit: string): Promise<Change> => {
  const waits = await at.waits(config)
  return until(`${limit} to be shown`, async () => {
    const change = await db().change.findUniqueOrThrow({ where: { id: waits.id } })
    return outlookIn(change).pool?.limit === limit && change
  })
}
const approve = ({ id: changeId, fingerprint }: Change, maxUnavailable: string, who = 'ada') =>
  approveChange(as('approver', who), { changeId, fingerprint, mode: 'in-place', maxUnavailable })
/** Long enough for whatever was let go to be told. */
const toldSoon = async (config: string) => {
  await new Promise((r) => setTimeout(r, 1_500))
  return at.told(config).length
}
const MORE = 'More nodes would go at once by now (maxUnavailable is 100%) than was shown.'

test('more nodes at once than were looked at are not approved; fewer are', async () => {
  await says(2)
  await at.render('rendered-worker-a')
  const waits = await shown('rendered-worker-a', '2')
  expect(outlookIn(waits).inPlace?.headline).toContain('at most 2 at once.')
  await says('100%')
  const now = await shown('rendered-worker-a', '100%')
  expect(now.fingerprint).toBe(waits.fingerprint)
  expect(outlookIn(now).inPlace?.headline).toContain(`at most ${at.nodes().length} at once (100%).`)
  expect(await failure(approve(waits, '2'))).toMatchObject({ code: 'conflict', message: MORE })
  const { id: changeId, fingerprint } = waits
  const several = await previewSeveral(as('approver'), {
    ...{ mode: 'in-place', changes: [{ changeId, fingerprint, maxUnavailable: '2' }] },
  })
  expect(several.leftOut.map(({ why }) => why)).toEqual([MORE])
  expect(await toldSoon('rendered-worker-a')).toBe(0)
  await says(1)
  await shown('rendered-worker-a', '1')
  expect(await approve(waits, '2')).toMatchObject({ state: 'accepted' })
  await at.change('done')
})

test('a share with a sign is one for its operator, too', async () => {
  await says(1)
  await at.render('rendered-worker-f')
  const waits = await shown('rendered-worker-f', '1')
  await says('+100%')
  const now = await shown('rendered-worker-f', '+100%')
  expect(outlookIn(now).inPlace?.headline).toContain(`at most ${at.nodes().length} at once (+100%).`)
  expect(await failure(approve(waits, '1'))).toMatchObject({ code: 'conflict', message: MORE.replace('100', '+100') })
  await says(1)
  await shown('rendered-worker-f', '1')
  expect(await approve(waits, '1')).toMatchObject({ state: 'accepted' })
  await at.change('done')
})

test.each([
  ['b', true],
  ['e', false],
])('raised between two approvals (%s), the first one counts no more; what it showed was kept: %s', async (x, kept) => {
  const config = `rendered-worker-${x}`
  await policy({ approvals: 2 })
  await says(1)
  await at.render(config)
  const waits = await shown(config, '1')
  expect(await approve(waits, '1')).toMatchObject({ state: 'gathering', missing: 1 })
  if (!kept) await db().approval.updateMany({ data: { maxUnavailable: null } })
  await says('100%')
  await shown(config, '100%')
  expect(await approve(waits, '100%', 'bo')).toMatchObject({ state: 'gathering', missing: 1 })
  expect(await toldSoon(config)).toBe(0)
  // Whoever sees what goes by now says so anew; afterwards fewer are no more than was shown.
  await says(3)
  await shown(config, '3')
  expect(await approve(waits, '3')).toMatchObject({ state: 'accepted' })
  await at.change('done')
})

test('an approval that waits for its time does not let go more at once than it showed', async () => {
  const starts = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
  await policy({ windows: [{ starts, lasts: '2h', timeZone: 'UTC' }] })
  await says(3)
  await at.render('rendered-worker-c')
  const waits = await shown('rendered-worker-c', '3')
  expect(await approve(waits, '3')).toMatchObject({ state: 'gathering', missing: 0 })
  await says('100%')
  await shown('rendered-worker-c', '100%')
  await db().rolloutPolicy.deleteMany({})
  expect(await toldSoon('rendered-worker-c')).toBe(0)
  expect(at.isHeld()).toBe(true)
  const { id } = waits
  await until('it to be asked anew', async () => (await db().change.findUnique({ where: { id } }))?.dueMode === null)
  // Also where it is back to what was shown.
  await says(3)
  const again = await shown('rendered-worker-c', '3')
  expect(again).toMatchObject({ state: 'waiting', dueMode: null })
  expect(await approve(again, '3')).toMatchObject({ state: 'accepted' })
  await at.change('done')
})

test('below somebody’s own pause, what nothing has begun by goes by no approval that showed fewer at once', async () => {
  const { id: poolId } = await db().configPool.findFirstOrThrow({ where: { name: 'worker' } })
  await at.write('worker', { metadata: { annotations: { 'drydock.dev/paused': null } }, spec: { paused: true } })
  await says(1)
  await at.render('rendered-worker-g')
  const waits = await shown('rendered-worker-g', '1')
  expect(await approve(waits, '1')).toMatchObject({ state: 'accepted' })
  await at.change('approved')
  expect(at.isHeld()).toBe(false)
  await previewPool(as('approver'), { poolId, action: 'resume' })
  await says('100%')
  const refused = await failure(previewPool(as('approver'), { poolId, action: 'resume' }))
  expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('esuming would let') as string })
  // It is held again, so that nobody lets it go so, and waits for people.
  await until('it to be held', async () => Promise.resolve(at.isHeld()))
  const again = await at.waits('rendered-worker-g')
  expect(again).toMatchObject({ id: waits.id, dueMode: null })
  expect(at.pool()).toMatchObject({
    metadata: { annotations: { [HELD]: `Stopped by Drydock: not now: its approval ${SHOWED_FEWER}` } },
    spec: { paused: true },
  })
  expect(await db().auditEvent.count({ where: { targetId: waits.id, action: 'approval.outgrown' } })).toBe(1)
  expect(await toldSoon('rendered-worker-g')).toBe(0)
  await shown('rendered-worker-g', '100%')
  expect(await approve(again, '100%')).toMatchObject({ state: 'accepted' })
  await at.change('approved')
  await previewPool(as('approver'), { poolId, action: 'resume' })
  await at.write('worker', { spec: { paused: false } })
  await at.change('done')
})

test('an approval that showed fewer is refused on resume also while no worker holds it again', async () => {
  const { id: poolId } = await db().configPool.findFirstOrThrow({ where: { name: 'worker' } })
  await at.write('worker', { metadata: { annotations: { 'drydock.dev/paused': null } }, spec: { paused: true } })
  await says(1)
  await at.render('rendered-worker-h')
  await approve(await shown('rendered-worker-h', '1'), '1')
  await at.change('approved')
  await worker?.stop()
  worker = null
  await says('100%')
  const refused = await failure(previewPool(as('approver'), { poolId, action: 'resume' }))
  expect(refused.message).toMatch(
    /has not begun \(.*\)\. More nodes would go at once by now \(maxUnavailable is 100%\)/,
  )
  await says(1)
  await previewPool(as('approver'), { poolId, action: 'resume' })
  worker = await follow()
  await at.write('worker', { spec: { paused: false } })
  await at.change('done')
})

test('what counts is what the API server says right before it is let go, whatever the rows say', async () => {
  await says(3)
  await at.render('rendered-worker-d')
  const waits = await shown('rendered-worker-d', '3')
  await worker?.stop()
  worker = null
  await says('100%')
  const made = await approve(waits, '3')
  const row = await db().decision.findFirstOrThrow({ where: { changeId: waits.id } })
  expect(row).toMatchObject({ id: made.id, state: 'voided', sentAt: null })
  expect(row.error).toBe(
    `0 of the 1 approvals that the policy asks for count by now: approve it again. ${MORE} Nothing was released.`,
  )
  expect(await toldSoon('rendered-worker-d')).toBe(0)
  expect(at.isHeld()).toBe(true)
})
