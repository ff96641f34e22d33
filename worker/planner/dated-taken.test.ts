import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { movingUnapproved } from '@/lib/services/changes/let-go-outside'
import { audited, latchedCluster } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { planGroup } from './plan-group'
import { holdToTimes } from './times'

useTestDatabase()
const at = latchedCluster()
afterEach(() => void vi.useRealTimers())

const soon = () => new Date(Date.now() + 3_600_000).toISOString().slice(0, 19) + 'Z'
const contextOf = async (guard: boolean) => {
  const { view, ...rest } = await planningContext(at.clusterId)
  const { latch } = view.capabilities
  return { ...rest, view: { ...view, capabilities: { ...view.capabilities, latch: { ...latch, guard } } } }
}
const look = async (held: Held, guard: boolean) => {
  await planGroup(await contextOf(guard), { ...(await held.read()), kind: held.kind })
  const where = { groupId: held.change.groupId }
  return db().change.findFirstOrThrow({ where, orderBy: { detectedAt: 'desc' } })
}
const isHeld = async (held: Held) => HELD in ((await held.read()).metadata.annotations ?? {})
const free = async (held: Held) => {
  const annotations = { [PAUSED]: null, [HELD]: null }
  const { client } = (await contextOf(false)).view
  await client.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations } })
}

/** A governed group with nothing but a date ahead, and its one machine. */
async function dated(after: string, letGo: string | null = null): Promise<Held> {
  const held = await at.held()
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'webhook' } })
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true, letGo } })
  const back = { rollout: { after }, template: { spec: { version: 'v1.34.0' } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: back } as never)
  await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId: at.clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace },
      ...{ workloadCluster: held.change.workloadCluster, name: 'm-1', groupKind: 'MachineDeployment', sentence: '' },
      ...{ groupName: held.name, phase: 'Running', state: 'ready', ready: true, available: true, upToDate: true },
      ...{ resourceVersion: '1', createdAt: new Date(Date.now() - 3_600_000) },
    },
  })
  return held
}

test('a hold that is taken away before the date that it holds is put back, and nothing of it is done', async () => {
  const after = soon()
  const held = await dated(after)
  const { id } = await look(held, false)
  await free(held)
  for (let i = 0; i < 4; i++) expect(await look(held, false)).toMatchObject({ id, state: 'waiting' })
  expect(await isHeld(held)).toBe(true)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(after) + 1_000 })
  for (let i = 0; i < 2; i++) expect(await look(held, false)).toMatchObject({ id, state: 'waiting' })
  expect(await isHeld(held)).toBe(true)
})

test('taken away by one of those whom the guard lets, it is on record at once, and not done before the date', async () => {
  const after = soon()
  const held = await dated(after)
  const { id } = await look(held, true)
  await free(held)
  for (let i = 0; i < 4; i++) expect((await look(held, true)).state).not.toBe('done')
  expect(await look(held, true)).toMatchObject({ id, state: 'running', startedAt: null })
  const of = { where: { targetId: id, action: 'change.let-go' } }
  expect(await db().auditEvent.count(of)).toBe(1)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(after) + 1_000 })
  expect(await look(held, true)).toMatchObject({ id, state: 'running', startedAt: new Date(after) })
  expect((await movingUnapproved(db(), [id])).get(id)).toBe('taken')
})

test('a date that was never held is held before it comes', async () => {
  const held = await dated(soon(), 'another')
  await db().change.delete({ where: { id: held.change.id } })
  await free(held)
  const change = await look(held, true)
  expect(change.state).toBe('running')
  expect(await audited({ ...held, change })).toContain('change.not-held ok')
  await holdToTimes((await contextOf(true)).view)
  expect(await isHeld(held)).toBe(true)
  expect(await look(held, true)).toMatchObject({ id: change.id, state: 'waiting' })
})
