import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { as } from '@/testenv/deciding'
import { clockAt, datedCluster, isHeldNow, newest, type Dated } from '@/testenv/dated'
import { planningContext } from '@/testenv/planning'
import { until } from '@/testenv/process'
import { FROZEN, says } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const { at, dated, look, slow, view } = datedCluster()

/** A version with a date that lies ahead, under way: its new machine set is there. */
async function under(): Promise<Dated> {
  const held = await dated(await slow())
  const { id: changeId, fingerprint } = await look(held)
  await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace' })
  await look(held)
  const { source } = await planningContext(at.clusterId)
  await until('the new machine set', async () => (await source.machineSets(await held.read())).length > 1)
  expect(await look(held)).toMatchObject({ id: changeId, state: 'running' })
  return { ...held, change: await newest(held) }
}
async function holds(held: Dated): Promise<void> {
  await holdToTimes(await view())
  expect(await isHeldNow(held)).toBe(true)
}

test('held by a freeze in the middle, with a date ahead, it goes on by the same approval, also where the date comes meanwhile', async () => {
  const held = await under()
  await says(held, FROZEN)
  await holds(held)
  const waits = { id: held.change.id, state: 'waiting', dueMode: 'replace' }
  for (let i = 0; i < 2; i++) expect(await look(held)).toMatchObject(waits)
  clockAt(held, 1_000)
  for (let i = 0; i < 2; i++) expect(await look(held)).toMatchObject(waits)
})

test('paused in the middle, it stays paused by whoever did that', async () => {
  const held = await under()
  await pauseChange(as('approver'), { changeId: held.change.id, reason: 'pager' })
  await holds(held)
  for (let i = 0; i < 2; i++)
    expect(await look(held)).toMatchObject({
      id: held.change.id,
      state: 'waiting',
      pausedBy: 'Ada',
      dueMode: 'replace',
    })
})

test('stopped at its threshold in the middle, it says so still, and goes machine by machine as before', async () => {
  const held = await under()
  const stop = { stoppedAt: new Date(), stoppedBy: 'prod', stoppedWhy: '1 machine failed', steps: 2, stepsDone: 1 }
  await db().change.update({ where: { id: held.change.id }, data: { ...stop, machines: 3 } })
  await holds(held)
  for (let i = 0; i < 2; i++) expect(await look(held)).toMatchObject({ id: held.change.id, state: 'waiting', ...stop })
  // What it made moves once more by the date, which its steps count not: that is decided anew.
  clockAt(held, 1_000)
  const now = await look(held)
  expect(now.id).not.toBe(held.change.id)
  expect(now).toMatchObject({ state: 'waiting', dueMode: null, steps: null, decisions: [] })
})
