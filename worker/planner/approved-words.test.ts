import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { annotations, audited, expectHeld, inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
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
