import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { db, pool } from '@/lib/db/client'
import * as notify from '@/lib/db/notify'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { listRuns } from '@/lib/services/waves/list-runs'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { waitForWave } from '@/lib/services/waves/wait-for-wave'
import * as words from '@/lib/services/waves/words'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import type { PolicySpec, Wave } from '@/lib/domain/policies'
import { overrideTimes } from '@/lib/services/changes/override-times'
import { annotations, expectHeld, failure, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { lockedInOrder } from '@/testenv/locked'
import { ada, begins, cy, row } from '@/testenv/timed'
import { op, placed, seen, waved, wavedCluster } from '@/testenv/waved'
import { goInTime } from './times'

useTestDatabase()
const { at, look, running, slow, view, place, round } = wavedCluster()

test('stopped is stopped: what is approved after it does not go, also while no worker runs', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await place()
  await stopWaves(op, { ...run, reason: 'nodes flap' })
  await approveChange(ada, inputFor(first))
  expect(await annotations(first)).toHaveProperty([HELD])
})

test('a canary whose new version is in its row, and which is not planned yet, is not there', async () => {
  const [first, second] = [await at.held(), await at.held()]
  await waved([first, second], [{ name: 'canary', soak: '24h' }, { name: 'next' }])
  // The row of the group is written, and the planner has not come to it.
  await db().change.delete({ where: { id: first.change.id } })
  await db().group.update({ where: { id: first.change.groupId }, data: { version: 'v1.34.1' } })
  await approveChange(ada, inputFor(second))
  await round()
  const went = await stateOf(second)
  await look(first)
  const newest = await db().change.findFirst({ where: { groupId: first.change.groupId } })
  expect([went, newest?.state]).toEqual(['waiting', 'waiting'])
})

test('a canary whose open change has no wish yet is not there', async () => {
  const [first, second] = [await at.held(), await at.held()]
  await waved([first, second], [{ name: 'canary', soak: '24h' }, { name: 'next' }])
  await db().change.update({ where: { id: first.change.id }, data: { wish: null } })
  await db().group.update({ where: { id: first.change.groupId }, data: { version: 'v1.34.1' } })
  await place()
  expect(await placed(second)).toMatchObject({ state: 'waits' })
})

test('words hold for an hour after nothing of the run is open', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await stopWaves(op, run)
  await db().waveWord.updateMany({ data: { at: new Date(Date.now() - 7_200_000) } })
  for (const held of [first, second])
    await db().change.update({ where: { id: held.change.id }, data: { state: 'reverted', finishedAt: new Date() } })
  await place()
  expect(await db().waveWord.count({ where: { endedAt: null } })).toBe(1)
})

test('what has begun, and was held by a stop, goes on when that is taken back, whatever its wave', async () => {
  const [held, canary] = [await running(), await at.held()]
  await begins(held)
  const run = await waved([canary, held], [{ name: 'canary' }, { name: 'next' }])
  await round()
  // Pages say that its wave is not open yet.
  expect(await placed(held)).toMatchObject({ state: 'open', notYet: true })
  await stopWaves(op, run)
  await round()
  await look(held)
  await resumeWaves(ada, run)
  await round()
  expect(await stateOf(held)).toBe('approved')
  expect(await placed(held)).toMatchObject({ state: 'open', notYet: true })
  await db().change.update({ where: { id: canary.change.id }, data: { state: 'done', finishedAt: new Date() } })
  await place()
  expect(await placed(held)).not.toHaveProperty('notYet')
})

test('a new cluster, made with the new version, does not take the place of the canary', async () => {
  const [a, b] = [await at.held(), await at.held()]
  const names = [a, b].map(({ name }) => name)
  await savePolicy(cy, {
    name: `p-${randomUUID()}`,
    spec: { select: { names: [...names, 'aaa'] }, waves: [{ name: 'canary', size: 1, soak: '24h' }] },
  })
  await place()
  const before = [await placed(a), await placed(b)].map(({ name, state }) => `${name} ${state}`).sort()
  const {
    id: _,
    scaling: __,
    ownPause: ___,
    ...same
  } = await db().group.findUniqueOrThrow({ where: { id: a.change.groupId } })
  await db().group.create({
    data: { ...same, conditions: [], id: randomUUID(), name: 'aaa', workloadCluster: '0', version: 'v1.34.1' },
  })
  // Ten seconds later.
  await savePolicy(cy, { name: `p-${randomUUID()}`, spec: { select: { names: ['nobody'] } } })
  await place()
  const after = [await placed(a), await placed(b)].map(({ name, state }) => `${name} ${state}`).sort()
  await db().group.deleteMany({ where: { name: 'aaa' } })
  expect(after).toEqual(before)
})

test('what can be read at last says anew what it wants', async () => {
  const held = await at.held()
  const { changeSet } = held.change as unknown as { changeSet: { pairs: object[] } }
  const pairs = changeSet.pairs.map((pair) => ({ ...pair, unread: 'forbidden' }))
  await db().change.update({
    where: { id: held.change.id },
    data: {
      wish: 'content of what may not be read',
      fingerprint: 'other',
      changeSet: { ...changeSet, pairs } as unknown as Prisma.InputJsonObject,
    },
  })
  await look(held)
  const now = await row(held)
  expect([now.fingerprint !== 'other', now.wish]).toEqual([true, 'version v1.34.1'])
})

test('a first wave that selects nothing (a label that is misspelt, or gone) opens nothing', async () => {
  const second = await at.held()
  await savePolicy(cy, {
    name: `p-${randomUUID()}`,
    spec: {
      select: { names: [second.name] },
      waves: [{ name: 'canary', select: { labels: { tier: 'canry' } }, soak: '7d' }],
    },
  })
  await place()
  expect(await placed(second)).toMatchObject({ state: 'waits' })
})

test('a round that looked before a stop was said writes nothing open after it', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  const spy = vi.spyOn(words, 'tryRuns').mockImplementationOnce(async (_tx, runs) => {
    await stopWaves(op, run)
    return [...runs]
  })
  await place()
  spy.mockRestore()
  expect(await placed(first)).not.toMatchObject({ state: 'open' })
})

test('nor where as many words speak as before, and others', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it is away' })
  await db().change.updateMany({ where: { id: second.change.id }, data: { wave: Prisma.DbNull } })
  const spy = vi.spyOn(words, 'tryRuns').mockImplementationOnce(async (_tx, runs) => {
    await waitForWave(ada, { ...run, wave: 'canary' })
    await stopWaves(op, run)
    return [...runs]
  })
  await place()
  spy.mockRestore()
  expect(await placed(second)).not.toMatchObject({ state: 'open' })
})

test('what is stopped while it is placed for the first time is stopped', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  let stopping: Promise<void> | undefined
  const real = notify.announce
  const spy = vi.spyOn(notify, 'announce').mockImplementationOnce(async (...args) => {
    // The places are written, and nobody sees them yet.
    stopping = stopWaves(op, run)
    const waiting = () => pool().query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)
    await expect.poll(async () => (await waiting()).rowCount, { timeout: 10_000 }).toBeGreaterThan(0)
    return real(...args)
  })
  await place()
  spy.mockRestore()
  await stopping
  expect(await placed(first)).toMatchObject({ state: 'stopped' })
  expect(await approveChange(ada, inputFor(first))).toMatchObject({ state: 'gathering' })
  expect(await annotations(first)).toHaveProperty([HELD])
})

test('a stop stands while its run is in no wave for a moment: its policy is written anew and back, hours later', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await place()
  await stopWaves(op, run)
  await db().waveWord.updateMany({ data: { at: new Date(Date.now() - 2 * 3_600_000) } })
  const { version, name, spec } = await db().rolloutPolicy.findUniqueOrThrow({ where: { id: run.policyId } })
  const away = { ...(spec as object), select: { names: ['nobody'] } }
  const { version: next } = await savePolicy(cy, { policyId: run.policyId, version, name, spec: away })
  await place()
  await savePolicy(cy, { policyId: run.policyId, version: next, name, spec: spec as object })
  await place()
  expect(await placed(first)).toMatchObject({ state: 'stopped' })
})

test('a round waits for nobody who says something: what they speak of is placed in the next one', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const { policyId, wish } = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await db().$transaction(async (tx) => {
    await words.requireRun(tx, { policyId, wish })
    await place()
  })
  expect(await placed(first)).toBeNull()
  await place()
  expect(await placed(first)).toMatchObject({ state: 'open' })
})

test('what people say holds at once, also while no worker runs: skipped, waited for again, let go on', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await place()
  const canary = { ...run, wave: 'canary' }
  await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it is away' })
  expect(await placed(second)).toMatchObject({ state: 'open' })
  await waitForWave(ada, canary)
  expect(await placed(second)).toMatchObject({ state: 'waits' })
  await stopWaves(op, run)
  expect(await placed(first)).toMatchObject({ state: 'stopped' })
  await resumeWaves(ada, run)
  expect([(await placed(first)).state, (await placed(second)).state]).toEqual(['open', 'waits'])
  expect(await approveChange(ada, inputFor(first))).toMatchObject({ state: 'accepted' })
})

test('what is let go has not begun; once a machine has, it stays open, also when it is held again', async () => {
  const [first, second] = [await at.held(), await at.held()]
  await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  const is = async (state: string) => {
    await db().change.update({ where: { id: second.change.id }, data: { state } })
    await place()
    return (await placed(second)).state
  }
  expect([await is('approved'), await is('running')]).toEqual(['waits', 'waits'])
  const { id: changeId, fingerprint } = second.change
  const sent = { state: 'seen', sentAt: new Date(), acceptedAt: new Date() }
  const decision = { changeId, fingerprint, mode: 'in-place', actorId: 'ada', actorName: 'Ada', ...sent }
  await db().decision.create({ data: decision })
  await begins(second)
  expect([await is('running'), await is('waiting')]).toEqual(['open', 'open'])
})

test.each(['stop', 'place'])('%s: changes are locked in one order, so that nobody fails', async (what) => {
  const helds = [await at.held(), await at.held()]
  const run = await waved(helds, [{ name: 'canary' }, { name: 'next' }])
  if (what === 'stop') await place()
  await lockedInOrder(
    helds.map(({ change }) => change.id),
    () => (what === 'stop' ? stopWaves(op, run) : place()),
  )
  expect(await placed(helds[0]!)).toMatchObject({ state: what === 'stop' ? 'stopped' : 'open' })
})

describe('the page of waves', () => {
  test('is that of one change’s run, where one is asked for', async () => {
    const [first, other] = [await at.held(), await at.held()]
    const { policyId } = await waved([first], [{ name: 'canary' }])
    await waved([other], [{ name: 'canary' }])
    await place()
    expect((await listRuns(ada)).runs.length).toBe(2)
    const { runs, all } = await listRuns(ada, { change: first.change.id })
    expect([runs.map(({ policy }) => policy.id), all]).toEqual([[policyId], 2])
    expect((await listRuns(ada, { change: randomUUID() })).runs).toEqual([])
    expect((await failure(listRuns(ada, { change: 'x' }))).code).toBe('invalid')
  })

  test('is the first twenty runs, those that need somebody before the others', async () => {
    const helds = [await at.held(), await at.held()]
    const names = helds.map(({ name }) => name)
    const rows = await db().group.findMany({ where: { name: { in: names } } })
    for (const [i, { id: _, scaling: __, ownPause: ___, ...like }] of rows.entries())
      for (let n = 0; n < 12; n++) {
        const id = randomUUID()
        await db().group.create({ data: { ...like, id, conditions: [], name: `many-${i}-${n}` } })
        const { id: ____, ...change } = await row(helds[i]!)
        await db().change.create({
          data: {
            ...(change as unknown as Prisma.ChangeUncheckedCreateInput),
            ...{ groupId: id, groupName: `many-${i}-${n}`, wish: `content ${n} of ${i}`, fingerprint: randomUUID() },
          },
        })
      }
    const { id: policyId } = await savePolicy(cy, {
      name: `p-${randomUUID()}`,
      spec: { select: { names: ['many-*'] }, waves: [{ name: 'one' }] },
    })
    await place()
    const wish = 'content 11 of 1'
    await stopWaves(op, { policyId, wish })
    const { runs, all } = await listRuns(ada)
    await db().change.deleteMany({ where: { groupName: { startsWith: 'many-' } } })
    await db().group.deleteMany({ where: { name: { startsWith: 'many-' } } })
    expect([runs.length, all]).toEqual([20, 24])
    expect(runs[0]).toMatchObject({ wish, stopped: { by: 'Op' } })
  })
})

describe('what wants the same each time', () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const restarts = async (held: Held, wishExact: string | null, more: Prisma.ChangeUpdateInput = {}) =>
    db().change.update({ where: { id: held.change.id }, data: { wish: 'content restart', wishExact, ...more } })

  test.each([
    ['another date, a month ago, before this one was known', 'october', ago(700), 'waits'],
    ['the very same date, whenever that was', 'november', ago(700), 'open'],
    ['another date, and after the first of this time was known', 'october', ago(1), 'open'],
    ['a secret, before this one was known', null, ago(700), 'waits'],
  ])('a canary that is through with %s', async (_, exact, finishedAt, state) => {
    const [canary, last] = [await at.held(), await at.held()]
    await waved([canary, last], [{ name: 'canary' }, { name: 'next' }])
    await restarts(canary, exact, { state: 'done', finishedAt })
    await restarts(last, exact === null ? null : 'november', { detectedAt: ago(2) })
    await place()
    expect(await placed(last)).toMatchObject({ state })
  })
})

test('a straggler of the last restart makes no canary of this one', async () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const [canary, next, last] = [await at.held(), await at.held(), await at.held()]
  const restarts = (held: Held, wishExact: string, more: Prisma.ChangeUpdateInput = {}) =>
    db().change.update({ where: { id: held.change.id }, data: { wish: 'content restart', wishExact, ...more } })
  await waved([canary, next, last], [{ name: 'canary' }, { name: 'next' }, { name: 'last' }])
  await restarts(last, 'last week', { detectedAt: ago(170) })
  await restarts(canary, 'last week', { state: 'done', detectedAt: ago(170), finishedAt: ago(168) })
  await restarts(next, 'today', { detectedAt: new Date() })
  await place()
  expect(await placed(next)).toMatchObject({ state: 'waits' })
})

test('stopped, and its policy has no waves any more: what is approved goes', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await place()
  await stopWaves(op, run)
  const { version, name, spec } = await db().rolloutPolicy.findUniqueOrThrow({ where: { id: run.policyId } })
  const { waves: _, ...without } = spec as unknown as PolicySpec
  await savePolicy(cy, { policyId: run.policyId, version, name, spec: without })
  await round()
  await approveChange(ada, inputFor(first))
  expect(await stateOf(first)).toBe('approved')
})

test('stopped, it stays so while its policy is written anew, also where somebody had overridden it', async () => {
  const [first, second] = [await slow(), await slow()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await place()
  await approveChange(ada, inputFor(second))
  const { id: changeId, fingerprint } = second.change
  await overrideTimes(ada, { changeId, fingerprint, reason: 'now' })
  await look(second)
  await place()
  await stopWaves(op, run)
  for (let times = 0; times < 2; times++) {
    await round()
    await look(second)
  }
  await expectHeld(second)
  const { name, version, spec } = await db().rolloutPolicy.findUniqueOrThrow({ where: { id: run.policyId } })
  const { waves, ...rest } = spec as unknown as PolicySpec
  const soaking = (waves as Wave[]).map((wave) => ({ ...wave, soak: '2h' }))
  await savePolicy(cy, { policyId: run.policyId, version, name, spec: { ...rest, waves: soaking } })
  // Who lets go does not wait for who places.
  await goInTime(await view())
  await expectHeld(second)
})
