import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ada } from '@/testenv/timed'
import { getChange } from './get-change'

useTestDatabase()

test('of a change of a pool those of its nodes are known that are stuck, whatever they began with', async () => {
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: 'mast', server: 'https://mast', state: 'connected' },
  })
  const id = randomUUID()
  await db().configPool.create({ data: { id, clusterId, name: 'worker', resourceVersion: '9' } })
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker' },
      ...{ workloadCluster: 'mast', fingerprint: 'f', summary: 's', changeSet: {}, outlook: {}, heldBy: 'latch' },
      ...{ resourceVersion: '9', state: 'waiting', machines: 3 },
    },
  })
  const minutes = (n: number) => new Date(Date.now() + n * 60_000)
  for (const [name, stuckFrom] of [
    ['hangs', minutes(-1)],
    ['drains', minutes(9)],
    ['rests', null],
  ] as const)
    await db().configNode.create({
      data: {
        ...{ id: randomUUID(), clusterId, pool: 'worker', name, phase: 'draining' },
        ...{ stuckFrom, sentence: 'It drains.' },
      },
    })
  const { machinesList } = await getChange(ada, { id: change.id })
  expect(Object.fromEntries(machinesList.map(({ name, stuck = null }) => [name, stuck]))).toEqual({
    ...{ hangs: 'It drains.', drains: null, rests: null },
  })
})
