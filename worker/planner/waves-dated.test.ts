import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { placed, waved, wavedCluster } from '@/testenv/waved'
import { planGroup } from './plan-group'

useTestDatabase()
const { at, place } = wavedCluster()
const look = async (held: Held) =>
  planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind: held.kind })

/** A restart with a date ahead. */
async function dated(after: string): Promise<Held> {
  const held = await at.held()
  const replicas = { replicas: 1, desiredReplicas: 1, availableReplicas: 1 }
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true, ...replicas } })
  const back = { rollout: { after }, template: { spec: { version: 'v1.34.0' } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: back } as never)
  await look(held)
  const where = { groupId: held.change.groupId }
  const change = await db().change.findFirstOrThrow({ where, orderBy: { detectedAt: 'desc' } })
  await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId: at.clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace },
      ...{ workloadCluster: change.workloadCluster, name: `m-${held.name}`, groupKind: 'MachineDeployment' },
      ...{ groupName: held.name, phase: 'Running', state: 'ready', ready: true, available: true, upToDate: true },
      ...{ sentence: '', resourceVersion: '1', createdAt: new Date(Date.now() - 3_600_000) },
    },
  })
  return { ...held, change }
}

test('a canary whose hold is taken away before the date of its restart is not through: the next wave waits', async () => {
  const after = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19) + 'Z'
  const [canary, next] = [await dated(after), await dated(after)]
  await waved([canary, next], [{ name: 'canary' }, { name: 'next' }])
  await place()
  const annotations = { [PAUSED]: null, [HELD]: null }
  const { client } = (await planningContext(at.clusterId)).view
  await client.patch(MD, canary.name, canary.namespace, 'merge', { metadata: { annotations } })
  for (let i = 0; i < 4; i++) await look(canary)
  await place()
  expect(await placed(next)).toMatchObject({ state: 'waits' })
})
