import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { objectKey, parseResource } from '@/lib/kubernetes/paths'
import { latchedCluster } from '@/testenv/deciding'
import { planningContext, shownFree } from '@/testenv/planning'
import { plannerConsumer } from '.'
import { keepLetGo } from './keep-let-go'

useTestDatabase()
const at = latchedCluster()
const SETS = 'machinesets.cluster.x-k8s.io'

test('a copy of a connected cluster plans nothing of its groups, and does not say what they were let go with', async () => {
  const held = await at.held()
  const { groupId } = held.change
  const copy = await db().managementCluster.create({ data: { name: 'copy', server: 'https://copy:6443' } })
  const free = await shownFree(held)
  const groups = new Map([[objectKey(free), free]])
  const found = await at.cluster.admin.list(parseResource(SETS, 'v1beta2'), held.namespace)
  const sets = new Map(found.items.map((set) => [objectKey(set), set]))
  const { view } = await planningContext(at.clusterId)
  const ofCopy = {
    ...{ ...view, clusterId: copy.id, name: copy.name },
    objects: (of: string) => (of.startsWith('machinedeployments') ? groups : of === SETS ? sets : new Map()),
  }
  const letGo = async () => (await db().group.findUniqueOrThrow({ where: { id: groupId } })).letGo
  const before = await letGo()
  const look = async () => {
    await plannerConsumer.onSynced(ofCopy as never)
    plannerConsumer.forget?.(ofCopy as never)
    return db().change.count({ where: { clusterId: copy.id } })
  }
  expect(await look()).toBe(0)
  expect(await keepLetGo({ clusterId: copy.id, fence: 1n }, free, rolloutDigest(free)!)).toBe(false)
  expect(await letGo()).toBe(before)
  // Once it is the only one that is connected, the row is its own.
  await db().group.update({ where: { id: groupId }, data: { clusterId: copy.id } })
  expect(await look()).toBe(1)
})
