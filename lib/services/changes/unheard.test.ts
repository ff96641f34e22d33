import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { unheard } from './unheard'

useTestDatabase()
const HOUR = 3_600_000

test.each([
  ['followed', 'connected', HOUR, null],
  ['followed, and does not answer', 'unreachable', HOUR, 'no-answer'],
  ['followed, and refuses the credentials', 'unauthorised', HOUR, 'no-answer'],
  ['not followed any more', 'unreachable', -HOUR, 'no-worker'],
  ['never followed', 'connected', null, 'no-worker'],
  ['disconnected', 'disconnected', null, null],
])('%s', async (_, state, until, why) => {
  const lease = until && { lease: { create: { owner: 'me', until: new Date(Date.now() + until) } } }
  const data = { name: randomUUID(), server: 'https://127.0.0.1:1', state, ...lease }
  const { id: clusterId } = await db().managementCluster.create({ data })
  expect(await unheard({ clusterId, state: 'running' })).toBe(why)
  expect(await unheard({ clusterId, state: 'done' })).toBeNull()
})
