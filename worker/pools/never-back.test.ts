import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { overLimit } from '@/lib/services/changes/failing'
import { followNodes } from './follow-nodes'

useTestDatabase()

test('a node that took its configuration up, and is not available since, is told, counts as failed, and is no end', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'c', server: 'https://x' } })
  const [id, groupId] = [randomUUID(), randomUUID()]
  await db().configPool.create({
    data: { clusterId, id: groupId, name: 'worker', machines: 1, updated: 1, desiredConfig: 'b', resourceVersion: '1' },
  })
  const node = { currentConfig: 'a', desiredConfig: 'b', phase: 'updating', unavailable: true }
  await db().configNode.create({ data: { clusterId, id, name: 'n1', pool: 'worker', ...node } })
  const of = { clusterId, groupId, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker' }
  const change = await db().change.create({
    data: {
      ...{ ...of, workloadCluster: 'w', fingerprint: 'f', state: 'running', summary: '', heldBy: 'latch' },
      ...{ resourceVersion: '1', machines: 1, changeSet: {}, outlook: {}, startedAt: new Date(0) },
    },
  })
  await followNodes(1n, change, 'b')
  await db().configNode.update({ where: { id }, data: { phase: 'updated', currentConfig: 'b' } })
  expect(await followNodes(1n, change, 'b')).toMatchObject({ settled: false, stuck: null })
  await db().machineProgress.updateMany({ data: { finishedAt: new Date(Date.now() - 21 * 60_000) } })
  expect(await followNodes(1n, change, 'b')).toMatchObject({
    ...{ settled: false, stuck: 'n1 took it up, and is not available since: not Ready, or cordoned.' },
  })
  const rules = { stopsAt: { value: 1 }, readyWithin: { value: '15m' } } as never
  expect(await overLimit(db() as never, [{ id: change.id, machines: 1, rules }])).toHaveLength(1)
  await db().configNode.update({ where: { id }, data: { unavailable: false } })
  expect(await followNodes(1n, change, 'b')).toMatchObject({ settled: true, stuck: null })
})

test('a node that never came back, and was replaced, keeps nobody waiting', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'd', server: 'https://d' } })
  const [id, groupId] = [randomUUID(), randomUUID()]
  await db().configPool.create({
    data: { clusterId, id: groupId, name: 'worker', machines: 1, updated: 1, desiredConfig: 'b', resourceVersion: '1' },
  })
  const change = await db().change.create({
    data: {
      ...{
        clusterId,
        groupId,
        groupKind: 'MachineConfigPool',
        namespace: '',
        groupName: 'worker',
        workloadCluster: 'w',
      },
      ...{ fingerprint: 'f', state: 'running', summary: '', heldBy: 'latch', resourceVersion: '1', machines: 1 },
      ...{ changeSet: {}, outlook: {}, startedAt: new Date(0) },
    },
  })
  const old = new Date(Date.now() - 21 * 60_000)
  const row = { changeId: change.id, machineId: id, machineName: 'n1', state: 'done', startedAt: old, finishedAt: old }
  await db().machineProgress.create({ data: row })
  const fresh = { currentConfig: 'b', desiredConfig: 'b', phase: 'updated', unavailable: false }
  await db().configNode.create({ data: { clusterId, id: randomUUID(), name: 'n2', pool: 'worker', ...fresh } })
  expect(await followNodes(1n, change, 'b')).toMatchObject({ settled: true, stuck: null })
})
