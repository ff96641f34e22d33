import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { annotations } from '@/testenv/deciding'
import { timedCluster } from '@/testenv/timed'

useTestDatabase()
const { look, running } = timedCluster()

test('half way, changed to something else and back to what it was let go with: what has not begun waits for approval', async () => {
  const held = await running()
  for (const version of ['v1.34.2', 'v1.34.1']) {
    await held.bump(version)
    for (const _look of [1, 2]) await look(held)
  }
  const newest = { where: { groupId: held.change.groupId }, orderBy: { detectedAt: 'desc' } } as const
  const { id, state, heldBy } = await db().change.findFirstOrThrow(newest)
  expect([id === held.change.id, state, heldBy]).toEqual([false, 'waiting', 'latch'])
  expect(await annotations(held)).toHaveProperty([HELD])
})
