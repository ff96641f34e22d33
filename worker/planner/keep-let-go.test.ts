import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { letGoOf } from '@/lib/services/changes/let-go'
import { latchedCluster } from '@/testenv/deciding'
import { shownFree } from '@/testenv/planning'
import { keepLetGo } from './keep-let-go'

useTestDatabase()
const at = latchedCluster()

test('who resumes with an old lease says no more what a group was let go with', async () => {
  const held = await at.held()
  const { clusterId } = at
  const group = await shownFree(held)
  const before = await letGoOf(clusterId, held.change.groupId)
  const until = new Date(Date.now() + 3_600_000)
  await db().clusterLease.create({ data: { clusterId, owner: 'another', fence: 2n, until } })
  await expect(keepLetGo({ clusterId, fence: 1n }, group, 'old')).rejects.toThrow('Another worker owns')
  expect(await letGoOf(clusterId, held.change.groupId)).toBe(before)
  expect(await keepLetGo({ clusterId, fence: 2n }, group, 'new')).toBe(true)
  expect(await letGoOf(clusterId, held.change.groupId)).toBe('new')
})
