import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { expectHeld, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, cy, FROZEN, lifted, row, says, timedCluster } from '@/testenv/timed'
import { goInTime } from './times'

useTestDatabase()
const { at, view } = timedCluster()
const MANY = 40

/** Approved, and frozen. */
async function due(): Promise<Held> {
  const held = await at.held()
  await says(held, FROZEN)
  await approveChange(ada, inputFor(held))
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
  return held
}

/** As many others that are due, all of them before it. */
async function manyLike(held: Held): Promise<void> {
  const { id: _, ...change } = await row(held)
  await db().change.createMany({
    data: Array.from({ length: MANY }, (__, i) => ({
      ...(change as unknown as Prisma.ChangeCreateManyInput),
      ...{ groupId: randomUUID(), groupName: `many-${i}`, fingerprint: randomUUID(), detectedAt: new Date(i) },
    })),
  })
}
afterEach(async () => void (await db().change.deleteMany({ where: { groupName: { startsWith: 'many-' } } })))

async function statements(work: () => Promise<unknown>): Promise<number> {
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  await work()
  // A connection that is new says how long it may be idle.
  const { length } = asked.mock.calls.filter(([sql]) => !String(sql).startsWith('SET '))
  asked.mockRestore()
  return length
}

test('many that are due in a freeze are looked at together, and the one whose window is open among them goes', async () => {
  const held = await due()
  const of = await view()
  await manyLike(held)
  await savePolicy(cy, { name: 'many', spec: { select: { names: ['many-*'] }, ...FROZEN } })
  const before = await db().auditEvent.count()
  // The changes, the policies, what these go by, and the time.
  expect(await statements(() => goInTime(of))).toBeLessThanOrEqual(6)
  expect(await db().auditEvent.count()).toBe(before)
  await expectHeld(held)
  // Its own freeze ends; theirs does not.
  await db().rolloutPolicy.deleteMany({ where: { name: { not: 'many' } } })
  await goInTime(of)
  expect(await stateOf(held)).toBe('approved')
  expect(await db().change.count({ where: { groupName: { startsWith: 'many-' }, dueMode: 'replace' } })).toBe(MANY)
})

test('where what policies say is not known, all of them stay as they are, and go when it is', async () => {
  const held = await due()
  await lifted()
  const { id } = await db().rolloutPolicy.create({ data: { name: 'odd', spec: { windows: 1 } } })
  await goInTime(await view())
  await expectHeld(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
  await db().rolloutPolicy.update({ where: { id }, data: { spec: {} } })
  await goInTime(await view())
  expect(await stateOf(held)).toBe('approved')
})
