import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { underWay } from '@/lib/services/clusters/under-way'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { annotations, failure } from '@/testenv/deciding'
import { ago, fares, OLD } from '@/testenv/faring'
import type { Held } from '@/testenv/held'
import { ada, bo, CLOSED, row, says, timedCluster } from '@/testenv/timed'
import { stopFailing } from './failures'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const { view, look, running, at } = timedCluster()
const SETS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinesets' }

/** Every machine is of what its group wants; the last one was updated so many minutes ago, and is not Ready since. */
async function settling(minutes: number, fared: object = {}, machine: object = {}): Promise<Held> {
  const held = await running()
  const { template } = (await held.read()).spec as { template: { spec: object } }
  const spec = { template: { spec: template.spec } }
  for (const { metadata } of (await at.cluster.admin.list(SETS, held.namespace)).items)
    await at.cluster.admin.patch(SETS, metadata.name, held.namespace, 'merge', { spec } as never)
  const over = { changeId: held.change.id }
  await db().change.update({ where: { id: held.change.id }, data: { startedAt: ago(minutes + 10) } })
  await db().decision.updateMany({ where: over, data: { acceptedAt: ago(minutes + 11), seenAt: ago(minutes + 11) } })
  const away = { ready: false, available: false, state: 'not-ready', notReadySince: ago(minutes), node: 'n' }
  await fares(
    held,
    'last',
    { ...OLD, state: 'done', startedAt: ago(minutes + 5), finishedAt: ago(minutes), ...fared },
    { ...away, verdict: 'up-to-date', createdAt: ago(1000), ...machine },
  )
  return held
}
const comesBack = (held: Held) =>
  db().machine.updateMany({
    where: { name: 'last', groupName: held.name },
    data: { ready: true, available: true, state: 'ready', notReadySince: null },
  })
async function round(held: Held, times = 3): Promise<Awaited<ReturnType<typeof row>>> {
  for (let i = 0; i < times; i++) {
    await stopFailing(await view())
    await holdToTimes(await view())
    await goInTime(await view())
    await look(held)
  }
  return row(held)
}
const accept = async (held: Held) =>
  acceptFailures(ada, {
    ...{ changeId: held.change.id, reason: 'x', again: true },
    stoppedAt: (await row(held)).stoppedAt!.toISOString(),
  })

test('it is done when its last machine is Ready, whenever that is; nothing is left of it to pause', async () => {
  const held = await settling(30)
  expect(await round(held)).toMatchObject({ state: 'stuck', settling: true })
  expect((await failure(pauseChange(bo, { changeId: held.change.id, reason: 'pager' }))).message).toContain(
    'nothing is left to pause',
  )
  await comesBack(held)
  expect(await round(held)).toMatchObject({ state: 'done', settling: false, stuckReason: null })
})

test('stopped at its last machine, nothing is held; it is done when somebody accepted that, and not by itself', async () => {
  const held = await settling(16)
  await says(held, { stopsAt: 1, readyWithin: '15m' })
  const stopped = await round(held)
  expect(stopped).toMatchObject({ state: 'running', settling: true })
  expect(stopped.stoppedAt).not.toBeNull()
  expect(await annotations(held)).not.toHaveProperty([HELD])
  const need = (await needsYou(ada, {})).find(({ id }) => id === held.change.id)
  expect(need).toMatchObject({ kind: 'stopped', action: { label: 'See what failed' } })
  expect(need!.sentence).toMatch(/^It stopped by itself: 1 machine failed/)
  // That it comes back is nobody's word: no wave goes on by it.
  await comesBack(held)
  expect((await round(held)).state).toBe('running')
  await accept(held)
  expect((await round(held)).state).toBe('done')
})

test('what was accepted is not waited for', async () => {
  const held = await settling(30)
  await says(held, { stopsAt: 1 })
  await round(held)
  await accept(held)
  expect(await round(held)).toMatchObject({ state: 'done', outcome: { late: 1 } })
})

test('a window that closes before it was looked at: a threshold counts its last machine all the same', async () => {
  const held = await settling(16)
  await says(held, { stopsAt: 1, readyWithin: '20m', ...CLOSED })
  expect(await round(held)).toMatchObject({ state: 'running', settling: true, stoppedAt: null })
  await db().machineProgress.updateMany({ where: { changeId: held.change.id }, data: { finishedAt: ago(21) } })
  await db().machine.updateMany({ where: { name: 'last', groupName: held.name }, data: { notReadySince: ago(21) } })
  expect((await round(held)).stoppedAt).not.toBeNull()
})

test('its last machine is in the middle of its update in place: without the gate that stops half-way, and is told', async () => {
  const held = await settling(2, { state: 'updating', finishedAt: null }, { updating: true, state: 'updating' })
  await db().decision.updateMany({ where: { changeId: held.change.id }, data: { mode: 'in-place' } })
  const before = await underWay(held.change.clusterId)
  expect([...before.values()].map(({ without }) => without)).toEqual(['in-place'])
  expect(await round(held)).toMatchObject({ state: 'running' })
  const now = await underWay(held.change.clusterId)
  expect([...now.values()].map(({ without }) => without)).toEqual(['in-place'])
})

test('its last machine failed with an error; accepted, it is done', async () => {
  const held = await settling(
    30,
    { state: 'failed', finishedAt: null, updater: 'u', message: 'it broke' },
    { error: 'it broke', upToDate: true },
  )
  await says(held, { stopsAt: 1 })
  const stopped = await round(held)
  expect(stopped.stoppedAt).not.toBeNull()
  await acceptFailures(ada, {
    ...{ changeId: held.change.id, reason: 'x', again: true, stoppedAt: stopped.stoppedAt!.toISOString() },
  })
  expect(await round(held)).toMatchObject({ state: 'done' })
})

test('stopped by itself and held; what was left went another way: it is not done until somebody says so', async () => {
  const held = await running()
  const id = held.change.id
  await db().decision.updateMany({ where: { changeId: id }, data: { acceptedAt: ago(60), seenAt: ago(60) } })
  await db().change.update({ where: { id }, data: { startedAt: ago(60) } })
  await fares(
    held,
    'one',
    {
      ...OLD,
      state: 'done',
      startedAt: ago(40),
      finishedAt: ago(30),
      readyAt: ago(1),
      failedAt: ago(10),
      failedWhy: 'not Ready in time',
    },
    { node: 'n', verdict: 'up-to-date', createdAt: ago(1000) },
  )
  await says(held, { stopsAt: 1 })
  const stopped = await round(held)
  expect(stopped.stoppedAt).not.toBeNull()
  expect(stopped.state).toBe('waiting')
  // Its old machines are scaled away, or deleted by hand: nothing is left to change.
  const { template } = (await held.read()).spec as { template: { spec: object } }
  for (const { metadata } of (await at.cluster.admin.list(SETS, held.namespace)).items)
    await at.cluster.admin.patch(SETS, metadata.name, held.namespace, 'merge', {
      spec: { template: { spec: template.spec } },
    } as never)
  const now = await round(held, 6)
  expect(now.state).not.toBe('done')
})
