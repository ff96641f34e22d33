import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { keepBaseline } from './baseline'
import { followMachines } from './progress'

useTestDatabase()

async function aChange() {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const key = { clusterId, kind: 'MachineDeployment', namespace: 'fleet', name: 'md' }
  const of = { clusterId, groupKind: key.kind, namespace: 'fleet', groupName: 'md', workloadCluster: 'w' }
  const machine = (name: string, verdict: string, more: { updating?: boolean; error?: string } = {}) =>
    db().machine.create({
      data: {
        ...{ ...of, id: randomUUID(), name, provider: 'cluster.x-k8s.io', machineSet: 'old', verdict, upToDate: true },
        ...{ phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1', createdAt: new Date(0), ...more },
      },
    })
  const change = () =>
    db().change.create({
      data: {
        ...{ ...of, groupId: randomUUID(), fingerprint: 'f', state: 'waiting', summary: '', heldBy: 'latch' },
        ...{ resourceVersion: '1', machines: 2, changeSet: {}, outlook: {} },
      },
    })
  return { key, machine, change }
}

test('what had nothing to do is done and never began, however often it is looked at', async () => {
  const { key, machine, change: detected } = await aChange()
  await machine('fine', 'up-to-date')
  const moved = await machine('moved', 'in-place')
  const change = await detected()
  await keepBaseline(change.id)
  await db().machine.update({ where: { id: moved.id }, data: { verdict: 'up-to-date' } })
  for (const _again of [1, 2, 3]) {
    const { outcome } = await followMachines(key, change, new Map(), null)
    expect(outcome).toMatchObject({ updatedInPlace: 1, created: 0, deleted: 0 })
  }
  const fine = await db().machineProgress.findFirstOrThrow({ where: { machineName: 'fine' } })
  expect(fine).toMatchObject({ state: 'done', startedAt: null })
})

test('what an updater said when it failed stays until it is asked again', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id, name: machineName } = await machine('m', 'in-place', { updating: true })
  const change = await detected()
  const said = { state: 'failed', updater: 'os-updater', message: 'os-updater says: disk is full.' }
  await db().machineProgress.create({ data: { changeId: change.id, machineId: id, machineName, ...said } })
  const looked = async () => {
    await followMachines(key, change, new Map(), null)
    return db().machineProgress.findFirst({
      where: { changeId: change.id },
      select: { state: true, updater: true, message: true },
    })
  }
  expect(await looked()).toEqual(said)
  await db().machine.update({
    where: { id },
    data: { error: 'UpdateMachine hook failed: please check controller logs for errors' },
  })
  expect(await looked()).toEqual(said)
  await db().machineProgress.updateMany({
    where: { changeId: change.id },
    data: { state: 'updating', message: 'os-updater is at work.' },
  })
  await db().machine.update({ where: { id }, data: { error: null, sentence: 'Updating: in progress' } })
  expect(await looked()).toMatchObject({ state: 'updating' })
})
