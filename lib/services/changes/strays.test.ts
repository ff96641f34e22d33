import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { straysOf } from './strays'

useTestDatabase()

const poolOf = async (nodes: [current: string, desired: string, image?: string][]) => {
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: randomUUID(), server: 'https://keel', state: 'connected' },
  })
  const id = randomUUID()
  await db().configPool.create({ data: { id, clusterId, name: 'worker', resourceVersion: '9' } })
  await db().configNode.createMany({
    data: nodes.map(([currentConfig, desiredConfig, currentImage = null], at) => ({
      ...{ id: randomUUID(), clusterId, pool: 'worker', name: `n${at}`, phase: 'pending' },
      ...{ currentConfig, desiredConfig, currentImage },
    })),
  })
  return id
}
const most = async (...nodes: Parameters<typeof poolOf>[0]) =>
  (await straysOf(await poolOf(nodes), 'a', undefined)).most

test('of nodes that are elsewhere it is known which config most of them have, or go to', async () => {
  expect(await most(['b', 'b'], ['c', 'c'], ['b', 'a'], ['a', 'a'])).toBe('b')
  expect(await most(['a', 'b'], ['a', 'a'])).toBe('b')
  expect(await most(['a', 'a'])).toBeNull()
  expect(await most(['a', 'a', 'an image'])).toBeNull()
})
