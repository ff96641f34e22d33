import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { ChangeSet, Outlook } from '@/lib/domain/changes'
import { latchedCluster } from '@/testenv/deciding'
import { ago } from '@/testenv/faring'
import type { Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { planGroup } from './plan-group'
import { SOON_MS } from './common'

useTestDatabase()
const at = latchedCluster()

/** Held in the middle: one machine is updated, another one waits, and nothing is at work. */
async function midway(mode: 'in-place' | 'replace' = 'in-place') {
  const held = await at.held()
  const { clusterId, id: changeId } = held.change
  const [pair] = (held.change.changeSet as unknown as ChangeSet).pairs
  const machine = async (name: string, more: object = {}) => {
    const of = { clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace, workloadCluster: 'w' }
    const is = { phase: 'Running', state: 'ready', sentence: '', ready: true, upToDate: true, verdict: 'up-to-date' }
    const { id } = await db().machine.create({
      data: {
        ...{ ...of, ...is, id: randomUUID(), name, groupKind: held.kind, groupName: held.name, machineSet: 'new' },
        ...{ resourceVersion: '1', createdAt: new Date(0), ...more },
      },
    })
    return id
  }
  const updated = await machine('updated')
  const waits = await machine('waits', { machineSet: pair!.from, upToDate: false, verdict: mode })
  const of = { changeId, predicted: mode }
  const through = { startedAt: ago(9), finishedAt: ago(8), throughAt: ago(8), readyAt: ago(8) }
  await db().machineProgress.createMany({
    data: [
      { ...of, machineId: updated, machineName: 'updated', state: mode === 'replace' ? 'created' : 'done', ...through },
      { ...of, machineId: waits, machineName: 'waits', state: 'waiting' },
    ],
  })
  const said = { fingerprint: held.change.fingerprint, mode, actorId: 'ada', actorName: 'Ada', acceptedAt: ago(10) }
  const { id } = await db().decision.create({ data: { changeId, ...said } })
  await db().decision.update({ where: { id }, data: { state: 'voided' } })
  await db().decision.update({ where: { id }, data: { voidedAt: ago(5) } })
  const look = async () => planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind: held.kind })
  const row = (machineId: string) => db().machineProgress.findFirst({ where: { changeId, machineId } })
  return { held, machine, updated, waits, look, row, said }
}

const now = async ({ change: { id } }: Held) => {
  const { outcome, outlook, state } = await db().change.findUniqueOrThrow({ where: { id } })
  return { state, outcome, before: (outlook as unknown as Outlook).before }
}

test('held in the middle, and a health check has an updated machine deleted: it is dated as it happens, and what is made in its place is none of the plan', async () => {
  const { held, machine, updated, look, row } = await midway()
  expect(await look()).toBeGreaterThan(SOON_MS)
  await db().machineProgress.updateMany({ where: { machineId: updated }, data: { illAt: ago(1) } })
  await db().machine.update({ where: { id: updated }, data: { deleting: true, deletingSince: ago(0) } })
  expect(await look()).toBe(SOON_MS)
  const going = await row(updated)
  expect(going).toMatchObject({ state: 'deleting', deletingAt: expect.any(Date) as Date, finishedAt: null })

  await db().machine.delete({ where: { id: updated } })
  const made = await machine('instead', { state: 'provisioning', ready: false, createdAt: new Date() })
  expect(await look()).toBe(SOON_MS)
  expect(await row(updated)).toMatchObject({ state: 'deleted', deletingAt: going!.deletingAt })
  expect(await row(made)).toMatchObject({ state: 'created', startedAt: expect.any(Date) as Date, finishedAt: null })

  await db().machine.update({ where: { id: made }, data: { state: 'ready', ready: true } })
  await look()
  expect(await row(made)).toMatchObject({ state: 'created', finishedAt: expect.any(Date) as Date })
  expect(await now(held)).toMatchObject({
    state: 'waiting',
    outcome: { created: 1, madeUp: 1, deleted: 1, remediated: 1, updatedInPlace: 0 },
  })
  // Nor does what is left of it count as begun by that.
  await look()
  expect((await now(held)).before?.created ?? 0).toBe(0)
  expect(await look()).toBeGreaterThan(SOON_MS)
})

test('what waits and goes while its group is held in the middle goes by others, however its group was to go', async () => {
  const { held, waits, look, row } = await midway()
  await db().machineProgress.updateMany({ where: { machineId: waits }, data: { predicted: 'replace' } })
  await db().machine.update({ where: { id: waits }, data: { deleting: true, deletingSince: ago(0) } })
  await look()
  expect(await row(waits)).toMatchObject({ state: 'deleting', startedAt: null, wentBy: 'others' })
  await db().machine.delete({ where: { id: waits } })
  await look()
  expect(await row(waits)).toMatchObject({ state: 'deleted', startedAt: null, wentBy: 'others' })
  expect((await now(held)).outcome).toMatchObject({ updatedInPlace: 1, deleted: 1, byOthers: 1 })
})

test('what its rollout had begun to delete in the moment in which it was held goes by that', async () => {
  const { waits, look, row } = await midway()
  await db().machineProgress.updateMany({ where: { machineId: waits }, data: { predicted: 'replace' } })
  await db().machine.update({
    where: { id: waits },
    data: { deleting: true, deletingSince: ago(5), verdict: 'replace' },
  })
  await look()
  expect(await row(waits)).toMatchObject({ state: 'deleting', wentBy: 'rollout', startedAt: expect.any(Date) as Date })
})

test('what its rollout deletes right after it was approved once more goes by that, though its group is still seen held', async () => {
  const { held, waits, look, row, said } = await midway('replace')
  const changeId = held.change.id
  await db().decision.create({ data: { changeId, ...said, state: 'accepted', acceptedAt: ago(0) } })
  await db().change.update({ where: { id: changeId }, data: { state: 'approved' } })
  await db().machine.update({ where: { id: waits }, data: { deleting: true, deletingSince: ago(0) } })
  await look()
  const going = await row(waits)
  expect(going).toMatchObject({ state: 'deleting', startedAt: expect.any(Date) as Date })
  expect(going!.wentBy).not.toBe('others')
})

test('a machine that failed, and is mended while its group is held in the middle, is through when it is', async () => {
  const { held, machine, look, row } = await midway()
  const failed = await machine('failed', { state: 'failed', updating: true, error: 'its updater failed' })
  const of = { changeId: held.change.id, machineId: failed, machineName: 'failed', predicted: 'in-place' }
  await db().machineProgress.create({ data: { ...of, state: 'failed', startedAt: ago(6) } })
  // As long as it says so, nothing is at work.
  expect(await look()).toBeGreaterThan(SOON_MS)

  await db().machine.update({ where: { id: failed }, data: { state: 'ready', updating: false, error: null } })
  const mended = Date.now()
  expect(await look()).toBe(SOON_MS)
  expect(await now(held)).toMatchObject({ state: 'waiting', outcome: { failed: 0, updatedInPlace: 2 } })
  const { state, finishedAt } = (await row(failed))!
  expect(state).toBe('done')
  // What it took is its own time, not until its group is let go again.
  expect(finishedAt!.getTime()).toBeGreaterThan(mended - 1000)
  expect(await look()).toBeGreaterThan(SOON_MS)
})
