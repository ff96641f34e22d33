import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { systemCtx } from '../context'
import { listUpdates } from '../fleet/list-updates'

useTestDatabase()

test('a group that is stuck on its control plane leads to the change of that which is held', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'm', server: 'https://127.0.0.1:1' } })
  const common = { clusterId, namespace: 'n', workloadCluster: 'w' }
  const change = (groupKind: string, groupName: string, more: object) =>
    db().change.create({
      data: {
        ...{ ...common, groupId: randomUUID(), groupKind, groupName, fingerprint: 'f', state: 'stuck', machines: 1 },
        ...{ summary: 's', heldBy: 'latch', resourceVersion: '1', changeSet: { pairs: [], fields: [] } },
        outlook: { inPlace: null, replace: { counts: {}, created: 0, deleted: 0, headline: '' }, uncovered: [] },
        ...more,
      },
    })
  const plane = await change('KubeadmControlPlane', 'cp', {
    state: 'waiting',
    fromVersion: 'v1.33.6',
    toVersion: 'v1.33.8',
  })
  const held = 'Waiting for approval in Drydock: to version v1.33.8'
  const version = { apiVersion: 'x', resourceVersion: '1', createdAt: new Date() }
  await db().group.create({
    data: { ...common, ...version, id: plane.groupId, kind: 'KubeadmControlPlane', name: 'cp', held },
  })
  const blocked =
    'MachineSet w-1: Scaling up from 1 to 2 replicas is blocked because: KubeadmControlPlane n/cp is upgrading'
  const stuckReason = `${blocked} ("ControlPlaneIsStable" preflight check failed).`
  const { id } = await change('MachineDeployment', 'a', { stuckReason })
  await change('MachineDeployment', 'b', { stuckReason: 'No machine has moved for 21 minutes.' })
  const { planes } = await listUpdates(systemCtx('test'), { tab: 'running' })
  expect(planes).toEqual({
    [id]: {
      changeId: plane.id,
      name: 'cp',
      version: 'v1.33.8',
      begun: expect.any(Boolean) as boolean,
      rejected: false,
    },
  })
})
