import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, latchedCluster } from '@/testenv/deciding'
import { previewDecision } from './preview-decision'

useTestDatabase()
const at = latchedCluster()

test('workers that would be newer than their control plane are a risk, in place, too', async () => {
  const { change } = await at.held()
  const { id: changeId, clusterId, namespace, workloadCluster, toVersion } = change
  expect(toVersion).toBe('v1.34.1')
  const where = { clusterId, namespace, workloadCluster }
  const plane = { ...where, id: randomUUID(), kind: 'KubeadmControlPlane', name: 'cp', apiVersion: 'x' }
  const risks = async (mode: 'in-place' | 'replace' | 'reject') =>
    (await previewDecision(as('approver'), { changeId, mode })).risks
  expect(await risks('in-place')).toEqual([])
  await db().group.create({ data: { ...plane, version: 'v1.33.6', resourceVersion: '1', createdAt: new Date() } })
  const words = [expect.stringMatching(/would be v1\.34\.1.*cp is at v1\.33\.6.*does not support/)]
  expect(await risks('in-place')).toEqual(words)
  expect(await risks('replace')).toEqual(words)
  expect(await risks('reject')).toEqual([])
  await db().group.update({ where: { id: plane.id }, data: { version: 'v1.34.0' } })
  expect(await risks('in-place')).toEqual([])
  // What it is to become it is not yet.
  await db().machine.create({
    data: {
      ...{ ...where, id: randomUUID(), name: 'cp-1', groupKind: plane.kind, groupName: 'cp', version: 'v1.33.6' },
      ...{ provider: 'cluster.x-k8s.io', phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1' },
      createdAt: new Date(),
    },
  })
  expect(await risks('in-place')).toEqual(words)
})
