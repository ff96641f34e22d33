import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Wave } from '@/lib/domain/policies'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { annotations, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, cy, person, row, timedCluster } from '@/testenv/timed'
import * as common from './common'
import { goInTime, holdToTimes } from './times'
import { placeInWaves } from './waves'

useTestDatabase()
const { at, view, look, running } = timedCluster()
const op = person('op', 'operator')
afterEach(async () => void (await db().waveWord.deleteMany({})))

async function waved(
  all: Held[],
  waves: Omit<Wave, 'select'>[],
  more = {},
): Promise<{ policyId: string; wish: string }> {
  const named = waves.map((wave, i) => ({ ...wave, select: { names: [all[i]!.name] } }))
  const { id } = await savePolicy(cy, {
    name: `p-${randomUUID()}`,
    spec: { select: { names: all.map(({ name }) => name) }, waves: named, ...more },
  })
  return { policyId: id, wish: 'version v1.34.1' }
}
const place = async () => placeInWaves(await view())
async function round(): Promise<void> {
  await place()
  await holdToTimes(await view())
  await goInTime(await view())
}
const placed = async (held: Held) =>
  (await row(held)).wave as unknown as { name: string; state: string; why: string | null }

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
