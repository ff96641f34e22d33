import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, latchedCluster } from '@/testenv/deciding'
import { recordAudit } from '../audit/record'
import { recoverDisconnects } from './recover-disconnect'

useTestDatabase()
const at = latchedCluster()
const MINUTE = 60_000
afterEach(() => vi.useRealTimers())

/** As a web process records it whose clock is behind by so much. */
async function begins(behindMs: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - behindMs })
  await db().$transaction(async (tx) => {
    const data = { state: 'disconnected', stateMessage: 'Being disconnected by Ada.' }
    await tx.managementCluster.update({ where: { id: at.clusterId }, data })
    const target = { kind: 'ManagementCluster', id: at.clusterId, name: 'm' }
    await recordAudit(tx, as('admin'), { action: 'cluster.disconnect', target })
  })
  vi.useRealTimers()
}

test.each([0, 6])(
  'a disconnect that began this very moment, by a clock that is behind by %i minutes, is not taken for one that was cut short',
  async (minutes) => {
    await begins(minutes * MINUTE)
    expect(await recoverDisconnects()).toEqual([])
    await db().managementCluster.update({
      where: { id: at.clusterId },
      data: { state: 'connected', stateMessage: null },
    })
  },
)
