import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { changeHulls } from '@/lib/db/queries/hulls'
import { HELD } from '@/lib/domain/latch/names'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { lockChange } from '@/lib/services/changes/lock-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { underWay } from '@/lib/services/clusters/under-way'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { annotations, failure } from '@/testenv/deciding'
import { ago, fares, OLD } from '@/testenv/faring'
import { MD, type Held } from '@/testenv/held'
import { settlingRollouts } from '@/testenv/settling'
import { until } from '@/testenv/process'
import { ada, bo, CLOSED, row, says, timedCluster } from '@/testenv/timed'

useTestDatabase()
const cluster = timedCluster()
const { running } = cluster
const { settling, allHaveIt, comesBack, round } = settlingRollouts(cluster)
const accept = async (held: Held) =>
  acceptFailures(ada, {
    ...{ changeId: held.change.id, reason: 'x', asDone: true, again: true },
    stoppedAt: (await row(held)).stoppedAt!.toISOString(),
  })

test('it is done when its last machine is Ready, whenever that is; nothing is left of it to pause', async () => {
  const held = await settling(30)
  expect(await round(held)).toMatchObject({ state: 'stuck', settling: true })
  const { id } = held.change
  const hull = async () => (await changeHulls([id], 10)).get(id)!.counts.map(({ mark }) => mark)
  expect(await hull()).toContain('not-ready')
  expect((await failure(pauseChange(bo, { changeId: held.change.id, reason: 'pager' }))).message).toContain(
    'nothing is left to pause',
  )
  await comesBack(held)
  expect(await round(held)).toMatchObject({ state: 'done', settling: false, stuckReason: null })
})

test('scaled to nothing before any machine of it was Ready, nobody knows whether it is well: it is not done by itself', async () => {
  const held = await settling(30)
  await cluster.at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { replicas: 0 } } as never)
  await db().machine.deleteMany({ where: { groupName: held.name } })
  expect(await round(held)).toMatchObject({ state: 'stuck', settling: true })
  const input = { changeId: held.change.id, stoppedAt: null, asDone: true, again: true, reason: 'there is none' }
  await acceptFailures(ada, input)
  expect((await round(held)).state).toBe('done')
})

test('scaled to nothing after one of it was Ready, it is done', async () => {
  const held = await settling(30, { readyAt: ago(20) })
  await cluster.at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { replicas: 0 } } as never)
  await db().machine.deleteMany({ where: { groupName: held.name } })
  expect((await round(held)).state).toBe('done')
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
    ...{
      changeId: held.change.id,
      reason: 'x',
      asDone: true,
      again: true,
      stoppedAt: stopped.stoppedAt!.toISOString(),
    },
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
  await allHaveIt(held)
  const now = await round(held, 6)
  expect(now.state).not.toBe('done')
})

test('it is stopped in the moment in which its last machine is found Ready: nothing is written over that', async () => {
  const held = await settling(16)
  expect(await round(held)).toMatchObject({ state: 'running', settling: true })
  await comesBack(held)
  const stopped = { stoppedBy: 'p', stoppedWhy: '1 machine failed', stoppedAt: new Date() }
  const waits = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  const { looked } = await db().$transaction(
    async (tx) => {
      await lockChange(tx, held.change.id)
      const looked = cluster.look(held)
      const blocked = async () => (await db().$queryRawUnsafe<{ n: number }[]>(waits))[0]!.n > 0
      await until('the planner to wait for the change', blocked, { ms: 20_000, every: 20 })
      await tx.change.update({ where: { id: held.change.id }, data: stopped })
      return { looked }
    },
    { timeout: 30_000 },
  )
  await looked
  expect(await row(held)).toMatchObject({ state: 'running', ...stopped })
  expect((await round(held)).state).toBe('running')
})
