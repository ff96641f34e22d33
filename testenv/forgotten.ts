import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { fenced } from '@/lib/db/read-model/fence'
import { acquireLease } from '@/lib/db/read-model/lease'
import { stillOwned } from '@/worker/owned'

/** What a worker that follows the cluster has written. */
export async function copied(id: string): Promise<void> {
  const common = { clusterId: id, namespace: 'n', name: 'x' }
  const machine = { phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1', createdAt: new Date() }
  const provider = 'cluster.x-k8s.io'
  await db().machine.create({ data: { ...common, ...machine, provider, id: randomUUID(), workloadCluster: 'w' } })
  await db().workloadCluster.create({ data: { ...common, id: randomUUID(), provider } })
  await db().bootImageSet.create({ data: { ...common, id: randomUUID(), kind: 'MachineSet', state: 'current' } })
  await db().openShiftCluster.create({ data: { clusterId: id } })
  await db().stream.create({ data: { clusterId: id, resource: 'machines', state: 'watching' } })
  await db().clusterLease.create({
    data: { clusterId: id, owner: 'me', fence: 7n, until: new Date(Date.now() + 3_600_000) },
  })
}
/** Nothing that lists show is left of it, and the worker that still has it in hand writes nothing any more. */
export async function expectForgotten(id: string): Promise<void> {
  const where = { clusterId: id }
  const left = await Promise.all([
    ...[db().machine.count({ where }), db().machineTally.count({ where }), db().group.count({ where })],
    ...[db().workloadCluster.count({ where }), db().stream.count({ where })],
    ...[db().bootImageSet.count({ where }), db().openShiftCluster.count({ where })],
  ])
  expect(left).toEqual([0, 0, 0, 0, 0, 0, 0])
  const late = fenced(pool(), { clusterId: id, owner: 'me', fence: 7n }, async () => undefined)
  await expect(late).rejects.toThrow('owns the management cluster')
  await expect(db().$transaction((tx) => stillOwned(tx, id, { fence: 7n }))).rejects.toThrow('Another worker')
  expect(await acquireLease(pool(), id, 'another', 1000)).toBeNull()
}
