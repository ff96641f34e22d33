import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { annotations } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { settlingRollouts } from '@/testenv/settling'
import { bo, row, timedCluster } from '@/testenv/timed'

useTestDatabase()
const cluster = timedCluster()
const { running, look } = cluster
const { allHaveIt, away, round } = settlingRollouts(cluster)

test('what is held again while it settles, and may be rejected, is not counted as done meanwhile', async () => {
  const held = await running()
  await away(held, 5)
  await allHaveIt(held)
  expect(await round(held, 2)).toMatchObject({ settling: true, stoppedAt: null })
  const hold = { metadata: { annotations: { [HELD]: 'by hand', [PAUSED]: PAUSED_BY_DRYDOCK } } }
  await cluster.at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', hold)
  await look(held)
  expect((await row(held)).state).toBe('waiting')
  const input = { changeId: held.change.id, stoppedAt: null, asDone: true, again: true, reason: 'x' }
  await expect(acceptFailures(bo, input)).rejects.toMatchObject({ code: 'conflict' })
}, 60_000)

test('where nothing is governed by now, what had stopped is not said to stand still', async () => {
  const before = await running()
  const stop = { stoppedBy: 'p', stoppedWhy: '1 machine failed', stoppedAt: new Date() }
  await db().change.update({ where: { id: before.change.id }, data: stop })
  await reconnected(before, { governed: false })
  await look(before)
  await round(before, 2)
  expect(await annotations(before)).not.toHaveProperty([HELD])
  expect((await newestOf(before)).change).toMatchObject({ state: 'running', stoppedAt: null })
}, 60_000)
