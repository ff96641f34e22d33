import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { takeLease } from '@/lib/services/clusters/forget-rows'
import { bound } from '@/testenv/bound'
import { MD } from '@/testenv/held'
import { machinesOfChange } from '@/testenv/machines-of-change'
import { timedCluster } from '@/testenv/timed'
import { auditedRewrite } from './audited'
import { keepBaseline } from './baseline'
import { followMachines } from './progress'
import { markSeen } from './seen'
import { shapeHeld } from './shape'
import { writeVerdicts } from './verdicts'

useTestDatabase()
const { at, look, running, view } = timedCluster()

const LOST = 'Another worker owns this management cluster now.'
/** Whoever has it by now has this number. */
async function leased(clusterId: string, fence = 2n): Promise<void> {
  const lease = { owner: 'another', fence, until: new Date(Date.now() + 60_000) }
  await db().clusterLease.upsert({ where: { clusterId }, create: { clusterId, ...lease }, update: lease })
}
async function detected() {
  const { key, machine, change } = await machinesOfChange()
  const { id: machineId } = await machine('m', 'in-place', { upToDate: false, updating: true })
  const row = await change()
  const progress = () => db().machineProgress.findMany({ where: { changeId: row.id }, orderBy: { machineName: 'asc' } })
  const follow = (fence = 1n) => followMachines({ ...key, fence }, row, new Map([['old', 'in-place']]), null)
  return { key, machineId, change: row, progress, follow, machine }
}

test('a worker whose cluster is another’s by now writes nothing of its machines', async () => {
  const held = await running()
  const { namespace, workloadCluster, groupName, groupKind, id: changeId } = held.change
  await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId: at.clusterId, namespace, workloadCluster, groupName, groupKind, name: 'late' },
      ...{ provider: 'cluster.x-k8s.io', phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1' },
      ...{ upToDate: true, createdAt: new Date() },
    },
  })
  await leased(at.clusterId)
  try {
    await expect(look(held)).rejects.toThrow(LOST)
    expect(await db().machineProgress.count({ where: { changeId, machineName: 'late' } })).toBe(0)
    await leased(at.clusterId, 1n)
    await look(held)
    expect(await db().machineProgress.count({ where: { changeId, machineName: 'late' } })).toBe(1)
  } finally {
    await db().clusterLease.delete({ where: { clusterId: at.clusterId } })
  }
})

test('an object that was read for long is not written by a worker whose cluster is another’s by then', async () => {
  const held = await running()
  const [mine, object] = [await view(), await held.read()]
  await leased(at.clusterId, 1n)
  const get: typeof mine.client.get = async (...of) => {
    const read = await mine.client.get(...of)
    await leased(at.clusterId)
    return read
  }
  const slow = { ...mine, fence: 1n, client: { ...bound(mine.client), get } }
  const about = { id: held.change.id, intent: 'change.shape', action: 'change.shaped' }
  const make = () => ({ metadata: { annotations: { 'drydock.test/late': 'yes' } } })
  const group = { ...object, kind: held.kind }
  try {
    await expect(auditedRewrite(slow, group, about, [MD, group, make])).rejects.toThrow(LOST)
    expect((await held.read()).metadata.annotations).not.toHaveProperty(['drydock.test/late'])
  } finally {
    await db().clusterLease.delete({ where: { clusterId: at.clusterId } })
  }
})

test('how machines fare is written by the owner alone', async () => {
  const { key, progress, follow } = await detected()
  await leased(key.clusterId)
  await expect(follow()).rejects.toThrow(LOST)
  expect(await progress()).toEqual([])
  await follow(2n)
  expect(await progress()).toMatchObject([{ machineName: 'm', state: 'updating' }])
})

test('what is written while the lease is being taken away waits for that, and is not written then', async () => {
  const { key, change, progress, follow } = await detected()
  await leased(key.clusterId, 1n)
  const [followed] = await db().$transaction(async (tx) => {
    await takeLease(tx, key.clusterId)
    const late = follow()
    late.catch(() => undefined)
    const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(async () => (await pool().query(waits)).rowCount, { timeout: 10_000 }).toBe(1)
    // Nothing was locked before the lease: whoever takes that goes on to the rows.
    await tx.change.update({ where: { id: change.id }, data: { state: 'superseded' } })
    return [late]
  })
  await expect(followed).rejects.toThrow(LOST)
  expect(await progress()).toEqual([])
})

test('what a change does to each machine is written by the owner alone', async () => {
  const { key, machineId } = await detected()
  const verdict = async (fence: bigint) => {
    await writeVerdicts({ ...key, fence }, new Map([['old', { verdict: 'replace', reason: 'x' }]]))
    return (await db().machine.findUniqueOrThrow({ where: { id: machineId } })).verdict
  }
  await leased(key.clusterId)
  expect(await verdict(1n)).toBe('in-place')
  expect(await verdict(2n)).toBe('replace')
})

test('which machines there are while it is held is written by the owner alone', async () => {
  const { change, machine, key, machineId, progress } = await detected()
  await keepBaseline(1n, change.id)
  const { id: ill } = await machine('n', 'in-place')
  await keepBaseline(1n, change.id)
  await db().machineProgress.updateMany({ where: { machineId: ill }, data: { illAt: new Date() } })
  await db().machine.deleteMany({ where: { id: { in: [machineId, ill] } } })
  await machine('o', 'in-place')
  const before = await progress()
  expect(before).toHaveLength(2)
  await leased(key.clusterId)
  for (const late of [false, true]) await keepBaseline(1n, change.id, late)
  expect(await progress()).toEqual(before)
  await keepBaseline(2n, change.id)
  expect(await progress()).toMatchObject([
    { machineName: 'n', state: 'deleted' },
    { machineName: 'o', state: 'waiting' },
  ])
})

test('that a decision was seen is written by the owner alone', async () => {
  const { change, key } = await detected()
  const said = { fingerprint: 'f', mode: 'in-place', state: 'accepted', actorId: 'ada', actorName: 'Ada' }
  const decision = await db().decision.create({ data: { changeId: change.id, ...said } })
  const metadata = { name: 'md', uid: 'u', annotations: { 'drydock.dev/decision': decision.id } }
  const seen = async (fence: bigint) =>
    markSeen({ ...(await view()), clusterId: key.clusterId, fence }, { metadata } as never, decision, 'none')
  await leased(key.clusterId)
  await expect(seen(1n)).rejects.toThrow(LOST)
  expect((await db().decision.findUniqueOrThrow({ where: { id: decision.id } })).state).toBe('accepted')
  expect(await seen(2n)).toBe(true)
})

test('what policies do not say any more is forgotten by the owner alone', async () => {
  const { change, key } = await detected()
  await db().change.update({ where: { id: change.id }, data: { shape: {} } })
  const shape = async (fence: bigint) => {
    await shapeHeld({ ...(await view()), clusterId: key.clusterId, fence })
    return (await db().change.findUniqueOrThrow({ where: { id: change.id } })).shape
  }
  await leased(key.clusterId)
  expect(await shape(1n)).toEqual({})
  expect(await shape(2n)).toBeNull()
})
