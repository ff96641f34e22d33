import { expect, test } from 'vitest'
import { failedSince } from '@/components/updates/machine-words'
import { useTestDatabase } from '@/lib/db/testing'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { ago, fares, OLD } from '@/testenv/faring'
import { ada, row, says, timedCluster } from '@/testenv/timed'
import { stopFailing } from './failures'

useTestDatabase()
const { view, running } = timedCluster()

test('what had begun, and fails after its rollout stopped by itself, is marked, and named on its page', async () => {
  const held = await running()
  await says(held, { stopsAt: 1, readyWithin: '15m' })
  const round = async () => stopFailing(await view())
  await fares(held, 'm-1', { state: 'failed', updater: 'u', message: 'its disk is full' }, { updating: true })
  await round()
  const { stoppedAt, stoppedWhy } = await row(held)
  const late = { ready: false, available: false, state: 'not-ready', notReadySince: ago(16), node: 'n' }
  await fares(held, 'm-2', { ...OLD, state: 'done', finishedAt: ago(16) }, late)
  await round()
  const { machinesList, stopped } = await getUpdate(ada, held.change.id)
  expect(failedSince(machinesList, stopped!)).toBe('1 more failed since (m-2: not Ready in time). ')
  expect(await row(held)).toMatchObject({ stoppedAt, stoppedWhy })
})
