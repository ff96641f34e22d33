import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { listRuns } from '@/lib/services/waves/list-runs'
import { audited, expectHeld } from '@/testenv/deciding'
import { ago, fares, OLD } from '@/testenv/faring'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { settlingRollouts } from '@/testenv/settling'
import { ada, row, says } from '@/testenv/timed'
import { placed, waved, wavedCluster } from '@/testenv/waved'
import { stopFailing } from './failures'
import { holdToTimes } from './times'

// What came first is told by the database's clock, whatever the clock of a worker says.

useTestDatabase()
const cluster = wavedCluster()
const { running, slow, place, look, view } = cluster
const { settling, comesBack } = settlingRollouts(cluster)
const AHEAD_MS = 600_000
const ahead = () => new Date(Date.now() + AHEAD_MS)

async function asAhead<R>(work: () => Promise<R>): Promise<R> {
  vi.useFakeTimers({ toFake: ['Date'], now: ahead() })
  return work().finally(() => vi.useRealTimers())
}

test('found by a worker whose clock is ahead: neither it, nor what it took the place of, is of later', async () => {
  const held = await slow()
  await held.bump('v1.34.2')
  await asAhead(() => look(held))
  const { change } = await newestOf(held)
  expect(change.id).not.toBe(held.change.id)
  expect(change.detectedAt.getTime()).toBeLessThanOrEqual(Date.now())
  const former = await row(held)
  expect(former.state).toBe('superseded')
  expect(former.finishedAt!.getTime()).toBeLessThanOrEqual(Date.now())
})

test('found by such a worker once, taken back, and connected again: it is held all the same', async () => {
  const before = await running()
  await db().change.update({ where: { id: before.change.id }, data: { detectedAt: ahead() } })
  await withdrawApproval(ada, { changeId: before.change.id })
  await reconnected(before)
  await look(before)
  await holdToTimes(await view())
  await expectHeld(before)
})

test('followed by such a worker, what fails stops it at once', async () => {
  const held = await running()
  await says(held, { stopsAt: 1 })
  const waits = { ...OLD, state: 'waiting', startedAt: null, updater: 'u' }
  await fares(held, 'ill', waits, { updating: true, verdict: 'in-place', createdAt: ago(1000) })
  await asAhead(() => look(held))
  const began = await db().machineProgress.findFirstOrThrow({ where: { machineName: 'ill' } })
  expect(began).toMatchObject({ state: 'updating', startedAt: expect.any(Date) as Date })
  const said = { checkFailedSince: new Date(Date.now() + 1_000), checkWords: 'Node not ready' }
  await db().machine.update({ where: { id: began.machineId }, data: said })
  await stopFailing(await view())
  expect(await audited(held)).toContain('change.stopped-by-itself ok')
})

test('done by such a worker, it is through by now, and with nothing that is known only later', async () => {
  const held = await settling(5)
  await comesBack(held)
  await asAhead(() => look(held))
  const { state, finishedAt } = await row(held)
  expect(state).toBe('done')
  expect(finishedAt!.getTime()).toBeLessThanOrEqual(Date.now())
})

test('a former change that such a worker found once does not take the place of the one that is open', async () => {
  const [canary, next] = [await slow(), await slow()]
  await waved([canary, next], [{ name: 'canary' }, { name: 'next' }])
  await look(canary)
  await db().change.update({ where: { id: canary.change.id }, data: { detectedAt: ahead() } })
  await canary.bump('v1.34.2')
  await look(canary)
  await place()
  const open = await db().change.findFirstOrThrow({ where: { groupId: canary.change.groupId, state: 'waiting' } })
  expect(open.wave).toMatchObject({ state: 'open' })
  expect(await placed(next)).toMatchObject({ state: 'waits' })
  expect((await listRuns(ada)).runs.map(({ wish }) => wish).sort()).toEqual(['version v1.34.1', 'version v1.34.2'])
})
