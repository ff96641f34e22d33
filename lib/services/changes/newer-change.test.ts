import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { machinesOfChange } from '@/testenv/machines-of-change'
import { systemCtx } from '../context'
import { getChange } from './get-change'

useTestDatabase()

test('superseded by the one that came next, and stays so however many come; who looks for what is wanted now finds the newest', async () => {
  const { change } = await machinesOfChange()
  const first = await change()
  const of = (summary: string, minutes: number, more: object = {}) => ({
    changeSet: { pairs: [], fields: [] },
    ...{ summary, groupId: first.groupId, detectedAt: new Date(Date.now() - minutes * 60_000), ...more },
  })
  const over = { state: 'superseded', finishedAt: new Date() }
  await db().change.update({ where: { id: first.id }, data: of('v1 → v2', 30, over) })
  const { id: next } = await db().change.update({ where: { id: (await change()).id }, data: of('v2 → v3', 20, over) })
  const told = async (id: string) => {
    const { timeline, newer, successor } = await getChange(systemCtx('test'), { id })
    return [timeline.at(-1)?.text, successor?.summary, newer?.summary]
  }
  expect(await told(first.id)).toEqual(['Superseded by a newer change: v2 → v3.', 'v2 → v3', 'v2 → v3'])
  await db().change.update({ where: { id: (await change()).id }, data: of('v3 → v2', 10) })
  expect(await told(first.id)).toEqual(['Superseded by a newer change: v2 → v3.', 'v2 → v3', 'v3 → v2'])
  expect(await told(next)).toEqual(['Superseded by a newer change: v3 → v2.', 'v3 → v2', 'v3 → v2'])
})
