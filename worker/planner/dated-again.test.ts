import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { HELD } from '@/lib/domain/latch/names'
import { changeOf } from '@/lib/providers/cluster-api/changes'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { pauseCluster } from '@/testenv/bootstrap-template'
import { as, audited } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { until } from '@/testenv/process'
import { FROZEN, says, timedCluster } from '@/testenv/timed'
import { planGroup } from './plan-group'
import { holdToTimes } from './times'

useTestDatabase()
const { at } = timedCluster()
afterEach(() => void vi.useRealTimers())
const TEMPLATES = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }

const look = async (held: Held) => {
  await planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind: held.kind })
  const where = { groupId: held.change.groupId }
  return db().change.findFirstOrThrow({ where, orderBy: { detectedAt: 'desc' }, include: { decisions: true } })
}
const isHeld = async (held: Held) => HELD in ((await held.read()).metadata.annotations ?? {})
const times = async () => holdToTimes((await planningContext(at.clusterId)).view)

/** Another version with a date ahead was approved, and the version is through. */
async function through(): Promise<Held & { after: string }> {
  const held = await at.held()
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  const after = new Date(Date.now() + 1_800_000).toISOString().slice(0, 19) + 'Z'
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { rollout: { after } } } as never)
  const { id: changeId, fingerprint } = await look(held)
  await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace' })
  await look(held)
  const { source } = await planningContext(at.clusterId)
  const rolled = async () => (await changeOf(await held.read(), source)).pairs.length === 0
  await until('the rollout', rolled, { ms: 90_000, every: 200 })
  await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId: at.clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace },
      ...{ workloadCluster: held.change.workloadCluster, name: 'm-1', groupKind: 'MachineDeployment', sentence: '' },
      ...{ groupName: held.name, phase: 'Running', state: 'ready', ready: true, available: true, upToDate: true },
      ...{ node: 'n', resourceVersion: '1', createdAt: new Date() },
    },
  })
  for (let i = 0; i < 2; i++) await look(held)
  expect(await look(held)).toMatchObject({ id: changeId, state: 'done' })
  return { ...held, after }
}
const comes = ({ after }: { after: string }) => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(after) + 1_000 })

test('the date of what was approved comes when the rest of it is through: it goes by that approval, and in a freeze it is held', async () => {
  const held = await through()
  comes(held)
  const change = await look(held)
  expect(change).toMatchObject({ state: 'running', decisions: [{ mode: 'replace', state: 'seen' }] })
  expect(await audited({ ...held, change })).toEqual(['change.dated ok'])
  await pauseChange(as('approver'), { changeId: change.id, reason: 'pager' })
  await db().change.update({ where: { id: change.id }, data: { pausedAt: null, pausedBy: null, pausedReason: null } })
  await look(held)
  expect(await db().group.findUnique({ where: { id: held.change.groupId } })).toMatchObject({ letGo: change.digest })
  await says(held, FROZEN)
  await times()
  expect(await isHeld(held)).toBe(true)
  // Its approval stands: it goes on when the freeze is over.
  expect(await look(held)).toMatchObject({ id: change.id, state: 'waiting', dueMode: 'replace' })
})

test('edited before such a date, it is held when that comes', async () => {
  const held = await through()
  const ref = valueAt((await held.read()).spec, 'template', 'spec', 'bootstrap', 'configRef')
  if (!isObject(ref)) throw new Error('no bootstrap config')
  const { admin } = at.cluster
  const template = await admin.get(TEMPLATES, String(ref.name), held.namespace)
  const was = valueAt(template.spec, 'template', 'spec') as JsonObject
  const spec = { template: { spec: { ...was, preKubeadmCommands: ['echo edited'] } } }
  await admin.patch(TEMPLATES, String(ref.name), held.namespace, 'merge', { spec } as never)
  comes(held)
  for (let i = 0; i < 3; i++) await look(held)
  expect(await isHeld(held)).toBe(true)
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: null })
})

test('what let it go is in force no more when its date comes: it is held, and waits for people', async () => {
  const held = await through()
  await db().decision.updateMany({ where: { change: { groupId: held.change.groupId } }, data: { state: 'voided' } })
  comes(held)
  const change = await look(held)
  expect(change).toMatchObject({ state: 'running', pausedUntilHeld: true, decisions: [] })
  expect(await audited({ ...held, change })).toEqual(['change.not-held ok'])
  await times()
  expect(await isHeld(held)).toBe(true)
})

const PAUSED = { pausedAt: new Date(), pausedBy: 'Ada', pausedReason: 'pager' }
const BY_ADA = 'Ada paused it (pager) before its date came'
const BY_NOBODY = 'its approval does not stand for what moves by now'
const UNDER_WAY = { state: 'running', finishedAt: null }
test.each([
  ['somebody paused it', { ...UNDER_WAY, ...PAUSED }, BY_ADA],
  ['somebody paused it at its very end', PAUSED, BY_ADA],
  [
    'it stopped by itself',
    { ...UNDER_WAY, stoppedAt: new Date(), stoppedBy: '', stoppedWhy: 'too many failed' },
    BY_NOBODY,
  ],
])('by its date goes nothing where %s: it is held, and waits for people', async (_, was, by) => {
  const held = await through()
  await db().change.updateMany({ where: { groupId: held.change.groupId, state: 'done' }, data: was })
  comes(held)
  expect(await look(held)).toMatchObject({ pausedUntilHeld: true, decisions: [] })
  await times()
  // Whoever kept it back is named.
  expect((await held.read()).metadata.annotations?.[HELD]).toBe(`Stopped by Drydock: not now: ${by}`)
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: null, decisions: [] })
})

test.each(['under way', 'done'])('a date that comes while the rest is %s goes by the same approval', async (state) => {
  const held = await through()
  const override = { overrideBy: 'Bo', overrideReason: 'it burns', overrideAt: new Date() }
  const data = { ...override, ...(state === 'done' ? {} : UNDER_WAY) }
  await db().change.updateMany({ where: { groupId: held.change.groupId, state: 'done' }, data })
  comes(held)
  expect(await look(held)).toMatchObject({
    ...{ state: 'running', decisions: [{ mode: 'replace', state: 'seen' }] },
    // What is over did not wait for its times: what comes after it does.
    ...(state === 'done' ? { overrideBy: null } : override),
  })
  await says(held, FROZEN)
  await times()
  expect(await isHeld(held)).toBe(state === 'done')
})

test('what was approved machine by machine is held when its date comes, and needs all of its approvals anew', async () => {
  const held = await through()
  await db().change.updateMany({ where: { groupId: held.change.groupId }, data: { steps: 1 } })
  comes(held)
  const change = await look(held)
  expect(change).toMatchObject({ state: 'running', pausedUntilHeld: true, decisions: [] })
  expect(await db().approval.count({ where: { changeId: change.id } })).toBe(0)
  await times()
  expect(await isHeld(held)).toBe(true)
  expect(await look(held)).toMatchObject({ id: change.id, state: 'waiting', dueMode: null })
})

test('paused at its very end, it waits for people when its date comes, also where a policy asks nobody', async () => {
  const held = await through()
  await says(held, { approvals: 0, strategy: 'replace' })
  await db().change.updateMany({ where: { groupId: held.change.groupId, state: 'done' }, data: PAUSED })
  // Nothing begins before it is held.
  await pauseCluster(at.cluster.admin, held)
  comes(held)
  expect(await look(held)).toMatchObject({ pausedUntilHeld: true, decisions: [] })
  await times()
  for (let i = 0; i < 4; i++) await look(held)
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: null, decisions: [] })
  expect(await isHeld(held)).toBe(true)
})
