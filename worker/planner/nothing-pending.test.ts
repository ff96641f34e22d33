import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { annotations, latchedCluster } from '@/testenv/deciding'
import { planningContext } from '@/testenv/planning'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()

test('a hold that holds nothing, has no change, and could not be let go at once is tried again', async () => {
  const held = await at.held()
  await held.bump('v1.34.0')
  await db().change.delete({ where: { id: held.change.id } })
  const context = await planningContext(at.clusterId)
  const plan = async () => planGroup(context, { ...(await held.read()), kind: held.kind })
  const { client } = context.view
  const { patch } = client
  const later = { kind: 'Status' as const, code: 503, message: 'try later' }
  client.patch = () => Promise.reject(new KubeError(503, later, 'PATCH'))
  const next = await plan().finally(() => (client.patch = patch))
  expect(await annotations(held)).toHaveProperty([HELD])
  expect(next).toBeGreaterThan(0)
  expect(await plan()).toBeNull()
  expect(await annotations(held)).not.toHaveProperty([HELD])
})
