import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { as } from '@/testenv/deciding'
import { clockAt, datedCluster, isHeldNow, newest, type Dated } from '@/testenv/dated'
import { MD } from '@/testenv/held'

useTestDatabase()
const { at, look, through } = datedCluster()

const writes = (held: Dated, version: string) =>
  at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { template: { spec: { version } } } } as never)

/** With its date ahead, another version is written, and taken back; `meanwhile`: before that. */
async function takenBack(held: Dated, meanwhile?: () => unknown): Promise<void> {
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'webhook' } })
  await writes(held, 'v1.34.9')
  expect(await look(held)).toMatchObject({ state: 'waiting' })
  await meanwhile?.()
  await writes(held, 'v1.34.1')
  for (let i = 0; i < 3; i++) await look(held)
}

test('changed back to what it was let go with, its hold goes by itself, and its date by the same approval', async () => {
  const held = await through()
  await takenBack(held)
  expect(await isHeldNow(held)).toBe(false)
  expect(await newest(held)).toMatchObject({ state: 'reverted' })
  clockAt(held, -590_000)
  await look(held)
  expect(await look(held)).toMatchObject({ state: 'approved', decisions: [{ mode: 'replace', state: 'seen' }] })
})

test('so it does after somebody rejected what had been written meanwhile', async () => {
  const held = await through()
  await takenBack(held, async () => {
    const { id: changeId, fingerprint } = await newest(held)
    await rejectChange(as('approver'), { changeId, fingerprint, reason: 'no' })
    await look(held)
  })
  expect(await isHeldNow(held)).toBe(false)
})

test('some minutes before its date that waits for people', async () => {
  const held = await through()
  await takenBack(held, () => clockAt(held, -590_000))
  expect(await isHeldNow(held)).toBe(true)
  expect(await newest(held)).toMatchObject({ state: 'waiting', dueMode: null })
})

test.each([
  ['its approval is in force no more', { decisions: { updateMany: { where: {}, data: { state: 'voided' } } } }],
  ['somebody paused it before its date', { pausedAt: new Date(), pausedBy: 'Ada' }],
])('so it does where %s', async (_, data) => {
  const held = await through()
  await db().change.update({ where: { id: (await newest(held)).id }, data })
  await takenBack(held)
  expect(await isHeldNow(held)).toBe(true)
  expect(await newest(held)).toMatchObject({ state: 'waiting', dueMode: null })
})
