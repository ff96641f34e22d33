import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ada } from '@/testenv/timed'
import { needsYou } from './needs-you'

useTestDatabase()

test('what stopped by itself is not said to be rolled back where nothing but a date replaces its machines, nor of a control plane', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'm', server: 'https://x' } })
  const detail = async (groupKind: string, path: string) => {
    const changeSet = { pairs: [], fields: [{ object: 'machine', path }] }
    const { id } = await db().change.create({
      data: {
        ...{ clusterId, groupId: randomUUID(), groupKind, namespace: 'n', groupName: 'g', workloadCluster: 'w' },
        ...{ fingerprint: 'f', state: 'waiting', summary: 's', heldBy: 'latch', machines: 3, resourceVersion: '1' },
        ...{ stoppedAt: new Date(), stoppedBy: 'prod', stoppedWhy: '2 failed', changeSet, outlook: {} },
      },
    })
    return (await needsYou(ada, {})).find((one) => one.id === id)?.detail
  }
  expect(await detail('MachineDeployment', 'version')).toMatch(/: let it go on, reject it, or roll it back$/)
  expect(await detail('MachineDeployment', 'rollout.after')).toMatch(/: let it go on, or reject it$/)
  expect(await detail('KubeadmControlPlane', 'version')).toMatch(/: let it go on, or reject it$/)
})
