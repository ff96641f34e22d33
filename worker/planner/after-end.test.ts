import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { recordAudit } from '@/lib/services/audit/record'
import { systemCtx } from '@/lib/services/context'
import { followSuperseded } from './after-end'

useTestDatabase()

const outcome = { counts: {}, created: 0, deleted: 0, headline: '' }

async function superseded(machines: Record<string, string>, state = 'superseded') {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const where = { clusterId, namespace: 'fleet', workloadCluster: 'w' }
  const groupId = randomUUID()
  const { id: changeId } = await db().change.create({
    data: {
      ...{ ...where, groupId, groupKind: 'MachineDeployment', groupName: 'md', fingerprint: 'f', digest: 'd', state },
      ...{ summary: 'v1 → v2', heldBy: 'latch', resourceVersion: '1', machines: 3, finishedAt: new Date() },
      ...{ changeSet: { pairs: [], fields: [] }, outlook: { inPlace: null, replace: outcome, uncovered: [] } },
    },
  })
  const startedAt = new Date()
  for (const [name, step] of Object.entries(machines)) {
    const id = randomUUID()
    await db().machine.create({
      data: {
        ...{ ...where, id, name, provider: 'cluster.x-k8s.io', groupKind: 'MachineDeployment', groupName: 'md' },
        ...{ phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1', createdAt: startedAt },
        updating: step === 'updating',
        deleting: step === 'deleting',
      },
    })
    const began = step === 'waiting' ? {} : { startedAt }
    await db().machineProgress.create({
      data: { changeId, machineId: id, machineName: name, state: step, message: 'busy', ...began },
    })
  }
  const progress = async () =>
    Object.fromEntries(
      (await db().machineProgress.findMany({ where: { changeId } })).map((p) => [
        p.machineName,
        `${p.state}${p.finishedAt ? ' over' : ''}`,
      ]),
    )
  return { changeId, progress, follow: () => followSuperseded({ clusterId, fence: 1n }, groupId), clusterId }
}

test('what was under way when a newer change took its place goes on to its end, and is counted', async () => {
  const made = await superseded({ a: 'updating', b: 'deleting', c: 'waiting' })
  expect(await made.follow()).toBe(1_000)
  expect(await made.progress()).toEqual({ a: 'updating', b: 'deleting', c: 'waiting' })
  await db().machine.updateMany({ where: { clusterId: made.clusterId, name: 'a' }, data: { updating: false } })
  expect(await made.follow()).toBe(1_000)
  await db().machine.deleteMany({ where: { clusterId: made.clusterId, name: 'b' } })
  expect(await made.follow()).toBeNull()
  expect(await made.progress()).toEqual({ a: 'done over', b: 'deleted over', c: 'waiting' })
  expect((await db().change.findUniqueOrThrow({ where: { id: made.changeId } })).outcome).toMatchObject({
    ...{ updatedInPlace: 1, deleted: 1 },
  })
})

test('a new machine is there when it is up', async () => {
  const made = await superseded({ a: 'created' })
  await db().machine.updateMany({ where: { clusterId: made.clusterId }, data: { state: 'provisioning' } })
  expect(await made.follow()).toBe(1_000)
  await db().machine.updateMany({ where: { clusterId: made.clusterId }, data: { state: 'ready' } })
  expect(await made.follow()).toBeNull()
  expect(await made.progress()).toEqual({ a: 'created over' })
})

test('what hangs is not looked at every second', async () => {
  const made = await superseded({ a: 'updating' })
  await db().machineProgress.updateMany({ where: { changeId: made.changeId }, data: { startedAt: new Date(0) } })
  expect(await made.follow()).toBe(30_000)
})

test('a change that is not over is not its matter', async () => {
  const made = await superseded({ a: 'updating' }, 'running')
  await db().machine.updateMany({ where: { clusterId: made.clusterId }, data: { updating: false } })
  expect(await made.follow()).toBeNull()
  expect(await made.progress()).toEqual({ a: 'updating' })
})

test('a worker that lost the management cluster to another writes nothing', async () => {
  const made = await superseded({ a: 'updating' })
  await db().machine.updateMany({ where: { clusterId: made.clusterId }, data: { updating: false } })
  const until = new Date(Date.now() + 60_000)
  await db().clusterLease.create({ data: { clusterId: made.clusterId, owner: 'another', fence: 2n, until } })
  await expect(made.follow()).rejects.toThrow('Another worker owns this management cluster now.')
  expect(await made.progress()).toEqual({ a: 'updating' })
})

test('what ended because its cluster was disconnected stays as it was then', async () => {
  const made = await superseded({ a: 'updating' })
  const cluster = { id: made.clusterId, name: 'm' }
  const target = { kind: 'ManagementCluster', ...cluster }
  await recordAudit(db(), systemCtx('test'), { action: 'cluster.disconnected', target, cluster })
  await db().machine.updateMany({ where: { clusterId: made.clusterId }, data: { updating: false } })
  expect(await made.follow()).toBeNull()
  expect(await made.progress()).toEqual({ a: 'updating' })
})
