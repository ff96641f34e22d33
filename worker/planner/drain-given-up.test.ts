import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { storyOf } from '@/lib/services/changes/machine-story'
import { machinesOfChange as aChange } from '@/testenv/machines-of-change'
import { keepBaseline } from './baseline'
import { followMachines } from './progress'

useTestDatabase()

test('that its drain was given up outlives a machine', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('m', 'replace')
  const change = await detected()
  await keepBaseline(1n, change.id)
  const follow = () => followMachines(key, change, new Map([['old', 'replace']]), null)
  await follow()
  const sentence = 'Being deleted: waiting for its infrastructure to be deleted; its drain was given up after 1m.'
  await db().machine.updateMany({ where: { id }, data: { deleting: true, state: 'deleting', sentence } })
  await follow()
  await db().machine.delete({ where: { id } })
  await follow()
  const row = await db().machineProgress.findFirstOrThrow({ where: { changeId: change.id } })
  expect(row).toMatchObject({ state: 'deleted', message: 'Its drain was given up after 1m.' })
  expect(storyOf(row).at(-1)).toMatchObject({ text: 'm: deleted. Its drain was given up after 1m.', tone: 'plain' })
})
