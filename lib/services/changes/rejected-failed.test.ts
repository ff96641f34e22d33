import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ago, fares } from '@/testenv/faring'
import { ada, timedCluster } from '@/testenv/timed'
import { getUpdate } from '../fleet/list-updates'

useTestDatabase()
const { at } = timedCluster()

test('what failed is shown as failed when the rest is rejected, which accepts nothing', async () => {
  const held = await at.held()
  const { id } = held.change
  const away = { ready: false, available: false, state: 'not-ready', notReadySince: ago(9) }
  await fares(held, 'w-1', { state: 'created', failedAt: ago(5), failedWhy: 'not Ready in time' }, away)
  const shown = async () => {
    const { machinesList, hull } = await getUpdate(ada, id)
    const late = machinesList.find(({ name }) => name === 'w-1')?.progress?.late
    return [late, hull.cells?.find(({ name }) => name === 'w-1')?.mark]
  }
  await db().change.update({ where: { id }, data: { state: 'rejected', failuresFrom: ago(1) } })
  expect(await shown()).toEqual(['not Ready in time', 'failed'])
  await db().change.update({ where: { id }, data: { state: 'waiting' } })
  expect(await shown()).toEqual([null, 'not-ready'])
})
