import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { annotations, audited, expectHeld, inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { ada, bo, CLOSED, FROZEN, lifted, row, says, timedCluster } from '@/testenv/timed'
import { sayApproved } from './approved-words'

useTestDatabase()
const { at, view, look } = timedCluster()
const words = async (held: Held) => (await annotations(held))[HELD] ?? ''
/** What it says, once the worker has looked; the watch has seen it by then. */
async function said(held: Held): Promise<string> {
  await look(held)
  const seen = async () => db().group.update({ where: { id: held.change.groupId }, data: { held: await words(held) } })
  await seen()
  await sayApproved(await view())
  await seen()
  return words(held)
}
const rewrites = async (held: Held) =>
  (await audited(held)).filter((event) => event.startsWith('change.reworded')).length

test('approved, and waiting for its time: the object says that, once for each reason, and waits for approval when one is taken back', async () => {
  const held = await at.held()
  const latched = await words(held)
  expect(latched).toMatch(/^Waiting for approval in Drydock: /)
  await says(held, { ...CLOSED, approvals: 2 })
  expect(await said(held)).toBe(latched)
  await approveChange(ada, inputFor(held))
  expect(await said(held)).toBe(latched)
  await approveChange(bo, { ...inputFor(held), fingerprint: (await row(held)).fingerprint })
  const waits = await said(held)
  const what = latched.slice('Waiting for approval in Drydock: '.length)
  expect(waits).toMatch(
    new RegExp(`^Approved in Drydock: ${what}; not now: outside the windows of the policy p-.*UTC$`),
  )
  await sayApproved(await view())
  expect(await rewrites(held)).toBe(1)
  await lifted()
  await says(held, { ...FROZEN, approvals: 2 })
  expect(await said(held)).toContain('; not now: frozen by the policy p-')
  expect(await rewrites(held)).toBe(2)
  await withdrawApproval(bo, { changeId: held.change.id })
  expect(await said(held)).toBe(latched)
  expect(await rewrites(held)).toBe(3)
  await expectHeld(held)
}, 60_000)

test('nor is it approved where its approvals do not count by the policies of now', async () => {
  const held = await at.held()
  const latched = await words(held)
  await says(held, CLOSED)
  await approveChange(ada, inputFor(held))
  expect(await said(held)).toMatch(/^Approved in Drydock: /)
  await lifted()
  await says(held, { ...CLOSED, reasonRequired: true })
  expect(await said(held)).toBe(latched)
})

test('what nobody approved is not called so, where it was written since the last look', async () => {
  const held = await at.held()
  await says(held, CLOSED)
  await approveChange(ada, inputFor(held))
  await look(held)
  await db().group.update({ where: { id: held.change.groupId }, data: { held: await words(held) } })
  const newer = { spec: { template: { spec: { version: 'v1.35.0' } } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', newer)
  await sayApproved(await view())
  expect(await words(held)).toBe('Waiting for approval in Drydock: to version v1.35.0')
  expect(await rewrites(held)).toBe(0)
})

test('of what is found in a moment nothing is written', async () => {
  const held = await at.held()
  const latched = await words(held)
  await says(held, { waves: [{ name: 'first' }] })
  await approveChange(ada, inputFor(held))
  expect([await said(held), await rewrites(held)]).toEqual([latched, 0])
})
