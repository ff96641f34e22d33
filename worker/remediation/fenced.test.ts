import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { skippingCluster } from '@/testenv/skipping'
import { HOUR } from '@/testenv/timed'
import { forgetOver } from './forget'
import { noteIll } from './ill'
import { noteUntaken } from './untaken'
import { workOf } from './work'
import { restoreOne, skipOne } from './write'

useTestDatabase()
const s = skippingCluster()
const { at, marked, is, look, with_, marks } = s

const id = () => ({ changeId: s.held.change.id, machineId: s.machine.metadata.uid })
const work = () => ({ ...id(), namespace: s.held.namespace, name: s.machine.metadata.name })
const state = async () => (await db().remediationSkip.findFirst({ where: id() }))?.state ?? null
const notes = (data: object) => db().remediationSkip.updateMany({ where: id(), data })
const owns = (fence: bigint) => with_({}).then((view) => ({ ...view, fence }))
const LOST = 'Another worker owns'

async function taken(): Promise<void> {
  const lease = { owner: 'another', fence: 2n, until: new Date(Date.now() + HOUR) }
  const { clusterId } = at
  await db().clusterLease.upsert({ where: { clusterId }, create: { clusterId, ...lease }, update: lease })
}
beforeEach(async () => void (await db().clusterLease.deleteMany({})))

test('what was set for one that is over is forgotten by the owner of its cluster alone', async () => {
  await marked()
  await look({ skipMark: null })
  await is({ state: 'done', finishedAt: new Date(Date.now() - HOUR) })
  await taken()
  await forgetOver(await owns(1n))
  expect(await state()).not.toBeNull()
  await forgetOver(await owns(2n))
  expect(await state()).toBeNull()
})

test('that a mark was seen is noted by the owner alone', async () => {
  await marked()
  await look()
  await notes({ state: 'setting' })
  await taken()
  await workOf(await owns(1n), [])
  expect(await state()).toBe('setting')
  await workOf(await owns(2n), [])
  expect(await state()).toBe('set')
})

test('that a mark is there still, which was to be taken, is noted by the owner alone', async () => {
  await marked()
  await look()
  await notes({ state: 'taken', at: new Date(Date.now() - HOUR) })
  await taken()
  await expect(noteUntaken(await owns(1n))).rejects.toThrow(LOST)
  expect(await state()).toBe('taken')
  await noteUntaken(await owns(2n))
  expect(await state()).toBe('set')
})

test('that a machine was found ill is noted by the owner alone', async () => {
  await marked()
  await look({ checkFailedSince: new Date() })
  await is({ state: 'running' })
  const row = { ...id(), machineName: 'm', state: 'updating', predicted: 'in-place', startedAt: new Date(0) }
  await db().machineProgress.deleteMany({ where: id() })
  await db().machineProgress.create({ data: row })
  const ill = async () => (await db().machineProgress.findFirst({ where: id() }))?.illAt ?? null
  await taken()
  await noteIll(await owns(1n))
  expect(await ill()).toBeNull()
  await noteIll(await owns(2n))
  expect(await ill()).not.toBeNull()
})

test('and waits for nobody who writes of that machine at this moment: it is noted in the next round', async () => {
  await marked()
  await look({ checkFailedSince: new Date() })
  await is({ state: 'running' })
  const row = { ...id(), machineName: 'm', state: 'updating', predicted: 'in-place', startedAt: new Date(0) }
  await db().machineProgress.deleteMany({ where: id() })
  await db().machineProgress.create({ data: row })
  const ill = async () => (await db().machineProgress.findFirst({ where: id() }))?.illAt ?? null
  const own = await owns(1n)
  await db().$transaction(async (tx) => {
    await tx.machineProgress.updateMany({ where: id(), data: { message: 'half way' } })
    await noteIll(own)
    expect(await ill()).toBeNull()
  })
  await noteIll(own)
  expect(await ill()).not.toBeNull()
})

test('of a mark whose write was answered after another worker took over nothing is noted', async () => {
  await marked()
  await look()
  const { client } = await owns(1n)
  const patch: typeof client.patch = async (...given) => {
    const stored = await client.patch(...given)
    await taken()
    return stored
  }
  const late = await with_({ patch })
  await is({ state: 'done', finishedAt: new Date(Date.now() - HOUR) })
  await expect(restoreOne(late, work())).rejects.toThrow(LOST)
  expect([await marks(), await state()]).toEqual([{}, 'set'])
  await db().clusterLease.deleteMany({})
  await notes({ state: 'setting' })
  await expect(skipOne(late, work())).rejects.toThrow(LOST)
  expect(await state()).toBe('setting')
})
