import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { listRuns } from '@/lib/services/waves/list-runs'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { annotations, failure, inputFor, stateOf } from '@/testenv/deciding'

import { ada, cy, row } from '@/testenv/timed'
import { op, placed, waved, wavedCluster } from '@/testenv/waved'
import * as common from './common'

useTestDatabase()
const { at, look, running, place, round } = wavedCluster()

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
  const run = await waved([canary, held], [{ name: 'canary' }, { name: 'next' }])
  await round()
  await stopWaves(op, run)
  await round()
  await look(held)
  await resumeWaves(ada, run)
  await round()
  expect([await stateOf(held), (await placed(held)).state]).toEqual(['approved', 'open'])
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
  const { id: _, ...same } = await db().group.findUniqueOrThrow({ where: { id: a.change.groupId } })
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
  const spy = vi.spyOn(common, 'owned').mockImplementationOnce(async () => {
    await stopWaves(op, run)
  })
  await place()
  spy.mockRestore()
  expect(await placed(first)).not.toMatchObject({ state: 'open' })
})

test('what was to be let go and was not is held by its wave again', async () => {
  const [first, second] = [await at.held(), await at.held()]
  await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  const is = (state: string) => db().change.update({ where: { id: second.change.id }, data: { state } })
  await is('approved')
  await place()
  expect(await placed(second)).toMatchObject({ state: 'open' })
  await is('waiting')
  await place()
  expect(await placed(second)).toMatchObject({ state: 'waits' })
})

test('people and clusters say where changes of one run stand at the same time: nobody fails', async () => {
  const helds = [await at.held(), await at.held(), await at.held()]
  const run = await waved(helds, [{ name: 'canary' }, { name: 'next' }])
  await place()
  for (let n = 0; n < 5; n++) {
    await Promise.all([stopWaves(op, run), place()])
    await Promise.all([resumeWaves(ada, run), place(), place()])
  }
  await place()
  expect((await Promise.all(helds.map(placed))).map(({ state }) => state)).not.toContain('stopped')
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
    for (const [i, { id: _, ...like }] of rows.entries())
      for (let n = 0; n < 12; n++) {
        const id = randomUUID()
        await db().group.create({ data: { ...like, id, conditions: [], name: `many-${i}-${n}` } })
        const { id: __, ...change } = await row(helds[i]!)
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
