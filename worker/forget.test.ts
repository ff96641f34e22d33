import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { KubeObject } from '@/lib/kubernetes/types'
import { consumers } from './parts'
import type { ClusterView, ObjectChange } from './types'

useTestDatabase()

test.each(['planner', 'skew', 'pools'])('the %s goes on where a forget of an older view comes late', async (name) => {
  const consumer = consumers.find((c) => c.name === name)!
  const { id } = await db().managementCluster.create({ data: { name, server: 'https://127.0.0.1:1' } })
  await pool().query(
    `INSERT INTO cluster_lease (cluster_id, owner, fence, until) VALUES ($1, 'me', 2, now() + interval '1 hour')`,
    [id],
  )
  const viewOf = (fence: bigint) => {
    const asked: string[] = []
    const capabilities = { clusterApi: {}, openshift: { skew: true }, resources: {} }
    const objects = (resource: string) => {
      asked.push(resource)
      return new Map<string, KubeObject>()
    }
    const view = { clusterId: id, name, fence, capabilities, client: {}, objects } as unknown as ClusterView
    return { view, asked }
  }
  const [older, newer] = [viewOf(1n), viewOf(2n)]
  await consumer.onSynced(older.view)
  await consumer.onSynced(newer.view)
  consumer.forget!(older.view)
  const resource = consumer.resources[0]!
  const metadata = { name: 'cluster', namespace: 'x', uid: randomUUID(), resourceVersion: '1', creationTimestamp: '' }
  const object: KubeObject = { apiVersion: 'v1', kind: 'X', metadata }
  const change: ObjectChange = { type: 'upsert', resource, key: 'cluster', object, heardAt: 1 }
  newer.asked.length = 0
  await consumer.onChanges(newer.view, [change])
  expect(newer.asked).toContain(resource)
  consumer.forget!(newer.view)
  newer.asked.length = 0
  await consumer.onChanges(newer.view, [change])
  expect(newer.asked).toEqual([])
})
