import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { leftBy } from '@/lib/services/changes/left-by'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { expectHeld } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { settlingRollouts } from '@/testenv/settling'
import { ada, bo, row, timedCluster } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const cluster = timedCluster()
const { running, look, view } = cluster
const { heldMidway } = settlingRollouts(cluster)

/** On record by a clock that is ahead: an attempt before came to such an end, and its cluster was connected again. */
const saidAhead = ({ change: { clusterId } }: Held, aheadMs: number, result: 'ok' | 'failed') =>
  db().auditEvent.create({
    data: {
      ...{ at: new Date(Date.now() + aheadMs), action: 'cluster.disconnected', result },
      ...{ actorKind: 'user', actorId: 'x', actorName: 'Xi', clusterId, clusterName: 'm' },
      ...{ targetKind: 'ManagementCluster', targetId: clusterId, targetName: 'm', prevHash: '', hash: randomUUID() },
    },
  })

async function planned(before: Held): Promise<Held> {
  await reconnected(before)
  await look(before)
  return newestOf(before)
}

async function expectHeldSoon(held: Held): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await holdToTimes(await view())
    await look(held)
  }
  await expectHeld(held)
}

// What was said by a clock that is ahead stays on record: those by a right one are first.
describe.each([0, 2])('disconnected after one that failed by a clock that is ahead by %i minutes', (minutes) => {
  const begun = async (): Promise<Held> => {
    const before = await running()
    await saidAhead(before, minutes * 60_000, 'failed')
    return before
  }

  test('paused, it is held again when it is connected', async () => {
    const before = await begun()
    await pauseChange(bo, { changeId: before.change.id })
    await expectHeldSoon(await planned(before))
  }, 60_000)

  test('taken back, it is held when it is connected', async () => {
    const before = await begun()
    await withdrawApproval(ada, { changeId: before.change.id })
    await expectHeldSoon(await planned(before))
  }, 60_000)

  test('rejected in the middle, it stays rejected', async () => {
    const before = await begun()
    await rejectChange(ada, { ...(await heldMidway(before)), reason: 'bad image' })
    await look(before)
    expect((await row(await planned(before))).state).toBe('rejected')
  }, 60_000)
})

test('of several disconnects, the one that ended it is told, whatever their clocks', async () => {
  const before = await running()
  await saidAhead(before, 120_000, 'ok')
  await planned(before)
  expect(await leftBy(await row(before))).toEqual({ name: 'drydock test', moves: false })
}, 60_000)
