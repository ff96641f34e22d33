import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { timedCluster } from '@/testenv/timed'
import { sparesLeft } from './spares-left'

useTestDatabase()
const { running } = timedCluster()

test('what an approval in place let be deleted for its spares is left until that many have gone by it', async () => {
  const { id: changeId, groupId, digest } = (await running()).change
  const says = (data: object) => db().decision.updateMany({ where: { changeId }, data })
  const goes = (state: string, startedAt: Date | null, more: object = {}) =>
    db().machineProgress.create({
      data: { changeId, machineId: randomUUID(), machineName: 'm', state, startedAt, ...more },
    })
  await says({ mode: 'in-place', plan: { deleted: 2 } })
  expect(await sparesLeft(groupId, digest)).toBe(2)
  expect(await sparesLeft(groupId, 'what it wants since')).toBe(0)
  await goes('deleted', new Date())
  await goes('done', new Date())
  await goes('deleted', null)
  expect(await sparesLeft(groupId, digest)).toBe(1)
  // Held again in the middle, its word is over, and what was approved by it was approved.
  await says({ state: 'voided' })
  expect(await sparesLeft(groupId, digest)).toBe(1)
  await goes('deleting', new Date())
  await goes('deleting', new Date())
  expect(await sparesLeft(groupId, digest)).toBe(0)
  // Let go once more with another plan: what had gone before that is no part of it.
  await says({ plan: { deleted: 1, goneBefore: 3 } })
  expect(await sparesLeft(groupId, digest)).toBe(1)
  await goes('deleted', new Date(), { illAt: new Date() })
  expect(await sparesLeft(groupId, digest)).toBe(1)
  await goes('deleting', new Date())
  expect(await sparesLeft(groupId, digest)).toBe(0)
  await says({ plan: {} })
  expect(await sparesLeft(groupId, digest)).toBe(0)
  await says({ mode: 'replace', plan: { deleted: 9 } })
  expect(await sparesLeft(groupId, digest)).toBe(0)
})
