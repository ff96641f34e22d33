import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { machine } from '@/lib/providers/cluster-api/testing/objects'
import { Projector } from './project'

useTestDatabase()
const MACHINES = 'machines.cluster.x-k8s.io'

test('what is created while the first list is being written stays', async () => {
  const clusterId = randomUUID()
  await pool().query(`INSERT INTO management_cluster (id, name, server) VALUES ($1, 'mc', 'https://127.0.0.1:1')`, [
    clusterId,
  ])
  await pool().query(
    `INSERT INTO cluster_lease (cluster_id, owner, fence, until) VALUES ($1, 'me', 1, now() + interval '1 hour')`,
    [clusterId],
  )
  const failures: unknown[] = []
  const projector = new Projector({
    pool: pool(),
    fence: { clusterId, owner: 'me', fence: 1n },
    name: 'mc',
    intervalMs: 50,
    lost: () => failures.push('lost'),
    failed: (error) => failures.push(error),
  })
  const uids: string[] = []
  const put = (name: string) => {
    const object = machine({ name })
    object.metadata.uid = randomUUID()
    uids.push(object.metadata.uid)
    void projector.upsert(MACHINES, false, object, Date.now())
  }
  put('listed')
  const pruned = projector.prune(MACHINES, () => [...uids])
  put('created meanwhile')
  await pruned
  await projector.flushed()
  const { rows } = await pool().query<{ name: string }>('SELECT name FROM machine ORDER BY name')
  expect(rows.map((row) => row.name)).toEqual(['created meanwhile', 'listed'])
  expect(failures).toEqual([])
  // And what is not known is pruned.
  await projector.prune(MACHINES, () => [uids[1]!])
  expect((await pool().query('SELECT name FROM machine')).rows).toEqual([{ name: 'created meanwhile' }])
  projector.stop()
})
