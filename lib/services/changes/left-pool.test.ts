import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ada } from '@/testenv/timed'
import { getChange } from './get-change'

useTestDatabase()

test('of nodes that are in the pool no more, those that are there are told from those that are gone', async () => {
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: 'gulf', server: 'https://gulf', state: 'connected' },
  })
  const id = randomUUID()
  await db().configPool.create({ data: { id, clusterId, name: 'worker', resourceVersion: '9' } })
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker' },
      ...{ workloadCluster: 'gulf', fingerprint: 'f', summary: 's', changeSet: {}, outlook: {}, heldBy: 'latch' },
      ...{ resourceVersion: '9', state: 'waiting', machines: 4 },
    },
  })
  const node = async (name: string, pool: string | null) => {
    const machineId = randomUUID()
    const row = { id: machineId, clusterId, name, phase: 'pending' }
    if (pool !== null) await db().configNode.create({ data: { ...row, pool } })
    await db().machineProgress.create({
      data: { changeId: change.id, machineId, machineName: name, state: 'waiting' },
    })
  }
  await node('stays', 'worker')
  await node('moved', 'gpu')
  await node('in-none', '')
  await node('gone', null)
  const { machinesList } = await getChange(ada, { id: change.id })
  expect(Object.fromEntries(machinesList.map(({ name, isElsewhere = false }) => [name, isElsewhere]))).toEqual({
    ...{ stays: false, moved: true, 'in-none': true, gone: false },
  })
})
