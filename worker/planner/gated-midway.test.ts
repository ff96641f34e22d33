import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { latchedCluster } from '@/testenv/deciding'
import { planningContext, shownFree } from '@/testenv/planning'
import { knownMidway } from './midway'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()

test('a control plane that is under way when the gate is registered is held when its manager is through with the machine that it replaces', async () => {
  const held = await at.held('KubeadmControlPlane')
  const { id, groupId, groupKind, groupName, namespace } = held.change
  await db().group.update({ where: { id: groupId }, data: { governed: true } })
  await db().managementCluster.update({
    where: { id: at.clusterId },
    data: { latchForm: 'policy', gateState: 'registered' },
  })
  await db().change.update({ where: { id }, data: { state: 'running', heldBy: 'none', startedAt: new Date() } })
  const context = await planningContext(at.clusterId)
  // The old machine is gone, and there is none in its place.
  const free = await shownFree(held)
  const group = {
    ...free,
    spec: { ...free.spec, replicas: 3, rollout: { strategy: { rollingUpdate: { maxSurge: 0 } } } },
  }
  const { client } = context.view
  const get: typeof client.get = (...of) => (of[1] === held.name ? Promise.resolve(group) : client.get(...of))
  const patch = vi.fn(client.patch.bind(client))
  context.view.client = { ...client, get, patch }
  expect(await knownMidway(context.view, { id, groupId, groupKind, groupName, namespace })).toBe(true)
  // Nor at the next look.
  for (const _look of [1, 2]) await planGroup(context, free)
  expect(patch.mock.calls.map(([, name, , , body]) => [name, JSON.stringify(body)])).toEqual([])
})
