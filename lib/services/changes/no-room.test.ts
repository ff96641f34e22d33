import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ago, fares } from '@/testenv/faring'
import type { Held } from '@/testenv/held'
import { ada, row, timedCluster } from '@/testenv/timed'
import { followMachines } from '@/worker/planner/progress'
import { getUpdate } from '../fleet/list-updates'

useTestDatabase()
const { at } = timedCluster()

const OLDER = { upToDate: false, createdAt: new Date(0) }
/** Made anew, counted as failed, and accepted; two are left. */
async function oneFailed(how: object): Promise<Held> {
  const held = await at.held()
  const { id, groupId } = held.change
  await db().group.update({ where: { id: groupId }, data: { desiredReplicas: 3, strategy: 'RollingUpdate', ...how } })
  const away = { ready: false, available: false, state: 'not-ready', notReadySince: ago(9) }
  await fares(held, 'w-1', { state: 'created', failedAt: ago(5) }, { ...away, node: 'n' })
  for (const name of ['w-2', 'w-3']) await fares(held, name, { state: 'waiting', startedAt: null }, OLDER)
  await db().machineProgress.updateMany({
    where: { changeId: id, startedAt: { not: null } },
    data: { startedAt: ago(9) },
  })
  await db().change.update({ where: { id }, data: { startedAt: ago(10), stoppedAt: ago(5), stoppedWhy: 'one failed' } })
  return held
}
const stuck = async (held: Held) => {
  const { clusterId, groupKind: kind, namespace, groupName: name } = held.change
  const change = { ...(await row(held)), failuresFrom: ago(1) }
  const follow = () => followMachines({ clusterId, kind, namespace, name, fence: 1n }, change, new Map(), null)
  await follow()
  await db().machineProgress.updateMany({ where: { finishedAt: { not: null } }, data: { finishedAt: ago(8) } })
  return (await follow()).stuck
}

test('where what failed is all that may be not available, that is said before it goes on, and as what it is stuck on then', async () => {
  const held = await oneFailed({ maxSurge: '0', maxUnavailable: '1' })
  expect((await getUpdate(ada, held.change.id)).noRoom).toEqual({ names: ['w-1'], may: 1 })
  expect(await stuck(held)).toBe(
    'w-1 is not available, and only 1 may be: nothing more begins until it is available again, or deleted.',
  )
  await db().change.update({ where: { id: held.change.id }, data: { stoppedAt: null } })
  expect((await getUpdate(ada, held.change.id)).noRoom).toBeNull()
})

test.each([
  ['one more may be', { maxSurge: '0', maxUnavailable: '67%' }],
  ['another one may come', { maxSurge: '1', maxUnavailable: '0' }],
  ['nothing moves by itself', { strategy: 'OnDelete' }],
])('not where %s', async (_, how) => {
  const held = await oneFailed(how)
  expect((await getUpdate(ada, held.change.id)).noRoom).toBeNull()
  expect(await stuck(held)).toBeNull()
})

test('nor is there room where the updater of what is being updated failed', async () => {
  const held = await oneFailed({ maxSurge: '0', maxUnavailable: '1' })
  const { id } = held.change
  await db().machine.updateMany({ where: { name: 'w-1', groupName: held.change.groupName }, data: { updating: true } })
  expect((await getUpdate(ada, id)).noRoom).toBeNull()
  await db().machineProgress.updateMany({ where: { changeId: id, machineName: 'w-1' }, data: { state: 'failed' } })
  expect((await getUpdate(ada, id)).noRoom).toEqual({ names: ['w-1'], may: 1 })
})
