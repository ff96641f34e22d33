import { afterEach, expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { OPEN } from '@/lib/services/changes/states'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { annotations, audited } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { ada, row, timedCluster } from '@/testenv/timed'
import { plannerConsumer } from './planner'
import { holdToTimes } from './planner/times'
import { startWorker, type Worker } from './worker'

useTestDatabase()
const { running, look, view } = timedCluster()

const policy = { isAway: false, asked: 0 }
/** As the real one, except that what is governed cannot be read while `isAway`. */
const database = () =>
  new Proxy(pool(), {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      const call = value.bind(target) as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        if (!String(args[0]).startsWith('SELECT governs')) return call(...args)
        policy.asked++
        return policy.isAway ? Promise.reject(new Error('terminating connection')) : call(...args)
      }
    },
  })

let worker: Worker | undefined
afterEach(async () => {
  await worker?.stop()
  worker = undefined
})

/** Its approval was taken back, and its cluster disconnected before it was held again; connected now, while nobody can read what is governed. */
async function connectedWithoutPolicy(): Promise<Held> {
  const held = await running()
  const { clusterId, id } = held.change
  await withdrawApproval(ada, { changeId: id })
  await db().policy.upsert({ where: { clusterId }, create: { clusterId, governs: 'all' }, update: { governs: 'all' } })
  await reconnected(held)
  await db().group.deleteMany({ where: { clusterId } })
  const client = await kubeClientFor(clusterId)
  Object.assign(policy, { isAway: true, asked: 0 })
  const clientFor = () => Promise.resolve(client)
  worker = await startWorker({ pool: database(), consumers: [plannerConsumer], parts: [], clientFor })
  await expect.poll(() => policy.asked, { timeout: 30_000 }).toBeGreaterThan(2)
  return held
}

const opens = ({ change: { groupId } }: Held) => db().change.count({ where: { groupId, state: { in: OPEN } } })

test('taken back, its cluster disconnected and connected again, and what is governed is read late: nothing is followed before, and it is held then', async () => {
  const before = await connectedWithoutPolicy()
  const { clusterId, groupId } = before.change
  expect([await opens(before), await db().stream.count({ where: { clusterId } })]).toEqual([0, 0])
  policy.isAway = false
  await expect.poll(() => opens(before), { timeout: 30_000 }).toBe(1)
  expect(await db().group.findUniqueOrThrow({ where: { id: groupId } })).toMatchObject({ governed: true })
  await worker?.stop()
  const held = await newestOf(before)
  expect(await audited(held)).toEqual(['change.not-held ok'])
  for (let i = 0; i < 3; i++) {
    await look(held)
    await holdToTimes(await view())
  }
  expect(await row(held)).toMatchObject({ state: 'waiting', pausedUntilHeld: false })
  expect((await annotations(held))[HELD]).toContain('took the approval back')
}, 90_000)

test('a worker ends while nobody can read what is governed: nothing was followed, and nothing is asked any more', async () => {
  const { clusterId } = (await connectedWithoutPolicy()).change
  await worker?.stop()
  const { asked } = policy
  expect(await db().stream.count({ where: { clusterId } })).toBe(0)
  expect(policy.asked).toBe(asked)
}, 90_000)
