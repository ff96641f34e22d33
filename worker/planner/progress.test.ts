import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { keepBaseline } from './baseline'
import { followMachines } from './progress'

useTestDatabase()

test('what had nothing to do is done and never began, however often it is looked at', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'm', server: 'https://x' } })
  const key = { clusterId, kind: 'MachineDeployment', namespace: 'fleet', name: 'md' }
  const of = { clusterId, groupKind: key.kind, namespace: 'fleet', groupName: 'md', workloadCluster: 'w' }
  const machine = (name: string, verdict: string) =>
    db().machine.create({
      data: {
        ...{ ...of, id: randomUUID(), name, provider: 'cluster.x-k8s.io', machineSet: 'old', verdict, upToDate: true },
        ...{ phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1', createdAt: new Date(0) },
      },
    })
  await machine('fine', 'up-to-date')
  const moved = await machine('moved', 'in-place')
  const change = await db().change.create({
    data: {
      ...{ ...of, groupId: randomUUID(), fingerprint: 'f', state: 'waiting', summary: '', heldBy: 'latch' },
      ...{ resourceVersion: '1', machines: 2, changeSet: {}, outlook: {} },
    },
  })
  await keepBaseline(change.id)
  await db().machine.update({ where: { id: moved.id }, data: { verdict: 'up-to-date' } })
  for (const _again of [1, 2, 3]) {
    const { outcome } = await followMachines(key, change, new Map(), null)
    expect(outcome).toMatchObject({ updatedInPlace: 1, created: 0, deleted: 0 })
  }
  const fine = await db().machineProgress.findFirstOrThrow({ where: { machineName: 'fine' } })
  expect(fine).toMatchObject({ state: 'done', startedAt: null })
})
