import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { listRuns } from '@/lib/services/waves/list-runs'
import { skipWave } from '@/lib/services/waves/skip-wave'
import type { Held } from '@/testenv/held'
import { ada, row } from '@/testenv/timed'
import { placed, seen, waved, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const { at, place } = wavedCluster()
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const restarts = (held: Held, wishExact: string, more: Prisma.ChangeUpdateInput = {}) =>
  db().change.update({ where: { id: held.change.id }, data: { wish: 'content restart', wishExact, ...more } })
const through = { state: 'done', detectedAt: ago(3), finishedAt: ago(2) }
const NOBODY = {
  state: 'waits',
  needsPerson: true,
  why: 'no group in canary wants it now, and none is known to have it and keep it',
}

test('one group that is restarted once more does not stop the run of all the others', async () => {
  const [canary, next, again] = [await at.held(), await at.held(), await at.held()]
  await waved([canary, next, again], [{ name: 'canary' }, { name: 'next' }])
  await restarts(canary, 'today', through)
  await restarts(next, 'today', { detectedAt: ago(3) })
  await restarts(again, 'this minute', { detectedAt: new Date() })
  await place()
  expect(await placed(next)).toMatchObject({ state: 'open', why: null })
  expect(await placed(again)).toMatchObject({ ...NOBODY, why: `${NOBODY.why}; then next has to be through` })
  const [run] = (await listRuns(ada)).runs
  expect(run!.waves.map(({ name, state }) => `${name} ${state}`)).toEqual(['canary through', 'next open', 'rest waits'])
  // The canary came through with any date after that was known.
  await restarts(canary, 'another', { ...through, finishedAt: new Date() })
  await restarts(next, 'today', { state: 'done', finishedAt: new Date() })
  await place()
  expect(await placed(again)).toMatchObject({ state: 'open' })
})

test.each(['canary', 'next'])('nor does one of %s, until it begins', async (which) => {
  const [canary, next, last] = [await at.held(), await at.held(), await at.held()]
  await waved([canary, next, last], [{ name: 'canary' }, { name: 'next' }])
  await restarts(canary, 'today', through)
  await restarts(next, 'today', through)
  await restarts(last, 'today', { detectedAt: ago(3) })
  const held = which === 'canary' ? canary : next
  const { id: _, ...like } = await row(held)
  const changeSet = { pairs: [{ from: 'b', machines: 1, fingerprint: 'g', changes: [] }], fields: [] }
  const once = {
    wishExact: 'this minute',
    state: 'waiting',
    fingerprint: 'g',
    detectedAt: new Date(),
    finishedAt: null,
  }
  const { id: changeId } = await db().change.create({
    data: { ...(like as Prisma.ChangeUncheckedCreateInput), ...once, changeSet },
  })
  const available = (availableReplicas: number) =>
    db().group.update({ where: { id: held.change.groupId }, data: { desiredReplicas: 1, availableReplicas } })
  await available(1)
  await place()
  expect(await placed(last)).toMatchObject({ state: 'open' })
  const mine = await db().change.findUniqueOrThrow({ where: { id: changeId } })
  expect(mine.wave).toMatchObject(which === 'canary' ? { state: 'open' } : NOBODY)
  // Its machines are not all there, or it moves on.
  await available(0)
  await place()
  const waits = { state: 'waits', why: expect.stringContaining(`${which} is not through`) as unknown }
  expect(await placed(last)).toMatchObject(waits)
  await available(1)
  const step = { machineId: randomUUID(), machineName: 'm', state: 'updating', startedAt: new Date() }
  await db().machineProgress.create({ data: { changeId, ...step } })
  await place()
  expect(await placed(last)).toMatchObject(waits)
})

test('what was said of a run that is never over holds for what is wanted on the same day, and not for the restart of next month', async () => {
  const [canary, next, once] = [await at.held(), await at.held(), await at.held()]
  const of = await waved([canary, next, once], [{ name: 'canary' }, { name: 'next' }])
  const run = { ...of, wish: 'content restart' }
  for (const held of [canary, next]) await restarts(held, 'last month', { detectedAt: ago(31) })
  await restarts(once, 'later', { detectedAt: ago(31) })
  await place()
  await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it is away' })
  await db().waveWord.updateMany({ data: { at: ago(30) } })
  await restarts(once, 'later', { detectedAt: ago(10) })
  await place()
  expect(await placed(next)).toMatchObject({ state: 'open' })
  await restarts(once, 'this month', { detectedAt: ago(1) })
  await place()
  for (const held of [next, once]) expect(await placed(held)).toMatchObject({ state: 'waits' })
  const lapsed = async () => (await listRuns(ada)).runs[0]!.lapsed
  expect(await lapsed()).toMatchObject([{ what: 'skip', wave: 'canary', why: 'wanted', by: 'Ada' }])
  const { policyId: targetId } = run
  expect(await db().auditEvent.findMany({ where: { targetId, action: 'waves.word-ended' } })).toMatchObject([
    { reason: 'The same was wanted once more, long after it.' },
  ])
  await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'still away' })
  await place()
  expect(await placed(next)).toMatchObject({ state: 'open' })
  expect(await lapsed()).toEqual([])
})
