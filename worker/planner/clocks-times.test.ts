import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { applyDecision } from '@/lib/services/changes/apply'
import { approveChange } from '@/lib/services/changes/approve-change'
import { overrideTimes } from '@/lib/services/changes/override-times'
import { expectHeld, inputFor, recordedOnly, stateOf } from '@/testenv/deciding'
import { ada, bo, decisions, FROZEN, HOUR, row, says, timedCluster } from '@/testenv/timed'
import { goInTime, holdToTimes } from './times'

// Windows, freezes and what expires go by the database's clock, in the web process as in a worker.

useTestDatabase()
const { at, running, look, view } = timedCluster()

async function byClock<R>(ms: number, work: () => Promise<R>): Promise<R> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  return work().finally(() => vi.useRealTimers())
}
const BEHIND = -600_000
/** To its clock the freeze is over. */
const LATER = 3 * HOUR
const expired = (changeId: string) =>
  db()
    .$executeRaw`UPDATE approval SET at = now() - interval '35 minutes', expires_at = now() - interval '5 minutes' WHERE change_id = ${changeId}::uuid`

test('an approval that has expired lets nothing go outside its time, where the web process is behind', async () => {
  const held = await at.held()
  await says(held, { ...FROZEN, expiresAfter: '30m' })
  await approveChange(ada, inputFor(held))
  await expired(held.change.id)
  const { id: changeId, fingerprint } = held.change
  await byClock(BEHIND, () => overrideTimes(bo, { changeId, fingerprint, reason: 'urgent' }))
  expect(await stateOf(held)).toBe('waiting')
  expect(await decisions(held)).toEqual([])
  await expectHeld(held)
})

test('nor does it count with the next one', async () => {
  const held = await at.held()
  await says(held, { approvals: 2, expiresAfter: '30m' })
  await approveChange(ada, inputFor(held))
  await expired(held.change.id)
  await byClock(BEHIND, () => approveChange(bo, inputFor(held)))
  expect(await stateOf(held)).toBe('waiting')
  await expectHeld(held)
})

test('a decision that has expired is not sent by whoever is behind', async () => {
  const held = await at.held()
  const id = await recordedOnly(held)
  await db().$executeRaw`UPDATE decision SET expires_at = now() - interval '5 minutes' WHERE id = ${id}::uuid`
  await byClock(BEHIND, () => applyDecision(id, 'test'))
  expect((await decisions(held)).at(-1)).toMatchObject({ state: 'voided', sentAt: null })
  await expectHeld(held)
})

test('a freeze keeps what is approved while the clock of the web process, or of a worker, is past it', async () => {
  const held = await at.held()
  await says(held, FROZEN)
  await byClock(LATER, () => approveChange(ada, inputFor(held)))
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
  const followed = await view()
  await byClock(LATER, () => goInTime(followed))
  expect(await stateOf(held)).toBe('waiting')
  await expectHeld(held)
})

test('and a worker that is past it holds what is under way', async () => {
  const held = await running()
  await says(held, FROZEN)
  const followed = await view()
  await byClock(LATER, () => holdToTimes(followed))
  await expectHeld(held)
  await look(held)
  expect(await stateOf(held)).toBe('waiting')
})
