import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { waiting } from '../forecast/testing/waiting'
import { shownMachines } from './hull'

useTestDatabase()

test('a machine that has what is planned is not said to be out of date by what is wanted now', async () => {
  const { change } = await waiting(['a', 'b'])
  const { clusterId, namespace } = change
  const sentence = 'Running v1.33.7, not up to date: DevMachine is not up-to-date.'
  await db().machine.updateMany({ where: { clusterId }, data: { sentence } })
  await db().machine.updateMany({ where: { clusterId, name: 'b' }, data: { machineSet: 'new' } })
  const { machinesList } = await shownMachines(
    { clusterId, kind: 'MachineDeployment', namespace, name: 'md' },
    (source) => (source === 'old' ? null : { verdict: 'in-place', reason: 'why' }),
  )
  expect(machinesList.map((m) => [m.name, m.verdict, m.sentence])).toEqual([
    ['a', 'up-to-date', 'Running v1.33.7.'],
    ['b', 'in-place', sentence],
  ])
})
