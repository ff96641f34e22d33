import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { timedCluster } from '@/testenv/timed'
import { heldSince } from './held-for'

useTestDatabase()
const { at } = timedCluster()

test('below somebody’s own pause a group that Drydock pauses and resumes has stood still since that pause', async () => {
  const { change } = await at.held()
  const { id, groupId, clusterId } = change
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const group = (data: object) => db().group.update({ where: { id: groupId }, data })
  await group({ paused: true, held: null, heldSince: null })
  const theirs = ago(9)
  await db()
    .$executeRaw`UPDATE machine_group SET paused_seen_at = ${theirs} WHERE id = ${groupId}::uuid AND cluster_id = ${clusterId}::uuid`
  const since = async () => (await heldSince([id]))[id]
  expect(await since()).toBe(theirs.toISOString())
  await group({ held: 'Stopped by Drydock: not now: paused by Op', heldSince: ago(1) })
  expect(await since()).toBe(theirs.toISOString())
  // Held before that already, it stood still then.
  const before = ago(20)
  await group({ heldSince: before })
  expect(await since()).toBe(before.toISOString())
  await group({ held: null, heldSince: null })
  expect(await since()).toBe(theirs.toISOString())
})
