import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { heldFor, heldSince } from './held-for'

useTestDatabase()

test('the hold of a pool is as old as its pause, whatever was written to it since', async () => {
  const at = (day: number) => new Date(Date.UTC(2026, 10, day))
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: 'tidal', server: 'https://tidal', state: 'connected' },
  })
  const id = randomUUID()
  const about = { clusterId, name: 'worker', resourceVersion: '9' }
  await db().group.create({
    data: {
      ...{ ...about, id, kind: 'MachineConfigPool', apiVersion: 'machineconfiguration.openshift.io/v1', namespace: '' },
      ...{ workloadCluster: 'tidal', held: 'waiting', heldSince: at(20), createdAt: at(1) },
    },
  })
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker' },
      ...{ workloadCluster: 'tidal', fingerprint: 'f', summary: 's', changeSet: {}, outlook: {}, heldBy: 'latch' },
      ...{ resourceVersion: '9', detectedAt: at(20), state: 'waiting', machines: 3 },
    },
  })
  const since = async () => (await heldSince([change.id]))[change.id]
  expect(await since()).toBe(at(20).toISOString())
  await db().configPool.create({ data: { ...about, id, paused: true, pausedSince: at(3) } })
  expect(await since()).toBe(at(3).toISOString())
  expect(await heldFor({ ...change, toVersion: null })).toMatchObject({ since: at(3).toISOString() })
  // What is of another cluster says nothing of it.
  const { id: other } = await db().managementCluster.create({
    data: { name: 'boje', server: 'https://boje', state: 'connected' },
  })
  await db().configPool.update({ where: { id }, data: { clusterId: other } })
  expect(await since()).toBe(at(20).toISOString())
})
