import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { db, pool } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { listRuns } from '@/lib/services/waves/list-runs'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { annotations, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { until } from '@/testenv/process'
import { ada, FROZEN, row, says } from '@/testenv/timed'
import { op, placed, waved, wavedCluster } from '@/testenv/waved'
import { calendarConsumer } from '../calendar'
import type { ClusterView } from '../types'
import { keptRuns } from './kept-runs'
import { goInTime } from './times'
import { placeInWaves } from './waves'

useTestDatabase()
const { at, view, running, place } = wavedCluster()
const others: string[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await db().managementCluster.deleteMany({ where: { id: { in: others.splice(0) } } })
})

/** How often all groups of all clusters are looked at. */
async function looks(work: () => Promise<unknown>): Promise<number> {
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  await work()
  const said = asked.mock.calls.map(([query]) => JSON.stringify(query) ?? '')
  asked.mockRestore()
  return said.filter((text) => LOOK.test(text)).length
}
const LOOK = /FROM machine_group g LEFT JOIN LATERAL/

const later = (ms: number) => {
  const then = Date.now() + ms
  vi.spyOn(Date, 'now').mockImplementation(() => then)
}

/** A group and a change like these, under another management cluster, and what its owner has in hand. */
async function elsewhere(held: Held): Promise<{ of: ClusterView; changeId: string }> {
  const [clusterId, groupId] = [randomUUID(), randomUUID()]
  others.push(clusterId)
  await db().managementCluster.create({ data: { id: clusterId, name: `other-${clusterId}`, server: 'https://x' } })
  const lease = { clusterId, owner: 'test', fence: 1n, until: new Date(Date.now() + 3_600_000) }
  await db().clusterLease.create({ data: lease })
  const { id: _, scaling: __, ...group } = await db().group.findUniqueOrThrow({ where: { id: held.change.groupId } })
  await db().group.create({
    data: { ...(group as unknown as Prisma.GroupUncheckedCreateInput), id: groupId, clusterId },
  })
  const { id: ___, ...change } = await row(held)
  const like = { ...(change as unknown as Prisma.ChangeUncheckedCreateInput), clusterId, groupId }
  const { id: changeId } = await db().change.create({ data: { ...like, fingerprint: randomUUID() } })
  return { of: { ...(await view()), clusterId }, changeId }
}

test('the owners of two clusters look at all runs once, and each places its own', async () => {
  const held = await at.held()
  const { of, changeId } = await elsewhere(held)
  await waved([held], [{ name: 'canary' }])
  const mine = await view()
  const both = () => Promise.all([placeInWaves(mine), placeInWaves(of)])
  // However long it takes here.
  later(0)
  expect(await looks(both)).toBe(1)
  expect(await looks(async () => [await placeInWaves(mine), await placeInWaves(of)])).toBe(0)
  expect(await placed(held)).toMatchObject({ state: 'open', name: 'canary' })
  const other = await db().change.findUniqueOrThrow({ where: { id: changeId } })
  expect(other.wave).toMatchObject({ state: 'open', name: 'canary' })
})

test('a wave opens with the next round after its canary is through', async () => {
  const [first, second] = [await at.held(), await at.held()]
  await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await placeInWaves(await view())
  await approveChange(ada, inputFor(second))
  await db().change.update({ where: { id: first.change.id }, data: { state: 'done', finishedAt: new Date() } })
  later(2_000)
  await placeInWaves(await view())
  expect(await placed(second)).toMatchObject({ state: 'open', name: 'next' })
  await goInTime(await view())
  expect(await stateOf(second)).toBe('approved')
})

test('what people say counts at once, and what was found before it is not written over it', async () => {
  const held = await at.held()
  const run = await waved([held], [{ name: 'canary' }])
  const before = await keptRuns()
  await stopWaves(op, run)
  expect(await looks(async () => placeInWaves(await view()))).toBe(1)
  expect(await placed(held)).toMatchObject({ state: 'stopped' })
  await placeInWaves(await view(), () => Promise.resolve(before))
  expect(await placed(held)).toMatchObject({ state: 'stopped' })
  // The words are those of before; where it stands is not.
  await resumeWaves(ada, run)
  await db().change.update({
    where: { id: held.change.id },
    data: { wave: { ...(await placed(held)), opens: 'later' } },
  })
  await placeInWaves(await view(), () => Promise.resolve(before))
  expect(await placed(held)).toMatchObject({ state: 'open', opens: 'later' })
})

test('what has to be held does not wait for the waves', async () => {
  const held = await running()
  const of = await view()
  await waved([held], [{ name: 'canary' }])
  await place()
  await says(held, FROZEN)
  const locking = await pool().connect()
  try {
    await locking.query('BEGIN')
    await locking.query('LOCK TABLE wave_word IN ACCESS EXCLUSIVE MODE')
    await calendarConsumer.onSynced?.(of)
    await until('it to be held', async () => HELD in (await annotations(held)), { ms: 10_000 })
  } finally {
    await locking.query('ROLLBACK')
    locking.release()
    calendarConsumer.forget?.(of)
  }
})
test('the page of one change looks at its run only, and counts the others', async () => {
  const [first, other] = [await at.held(), await at.held()]
  const { policyId } = await waved([first], [{ name: 'canary' }])
  await waved([other], [{ name: 'canary' }])
  await place()
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  const { runs, all } = await listRuns(ada, { change: first.change.id })
  const newest = asked.mock.calls.filter(([query]) => LOOK.test(JSON.stringify(query) ?? ''))
  expect([runs.map(({ policy }) => policy.id), all]).toEqual([[policyId], 2])
  expect(newest.length).toBe(1)
  expect(JSON.stringify(newest)).not.toContain(other.change.groupId)
  await db().change.update({ where: { id: first.change.id }, data: { state: 'done', finishedAt: new Date() } })
  expect(await listRuns(ada, { change: first.change.id })).toMatchObject({ runs: [], all: 1 })
})
