import { expect, test } from 'vitest'
import { projectMachine } from './machine'
import { condition, machine, machineConditions } from './testing/objects'

const context = { find: () => undefined, governed: () => false, now: Date.parse('2026-01-01T10:05:00Z') }
const deleting = { metadata: { deletionTimestamp: '2026-01-01T11:00:00Z' } }

test('credentials in what its controllers say are not taken over', () => {
  const message = 'cannot reach https://ops:hunter2@vcenter.example.com, tried with token=hunter2'
  const conditions = machineConditions(condition('Ready', 'False', 'NotReady', message))
  for (const words of [{ conditions }, { ...deleting, conditions }]) {
    const told = projectMachine(machine({ name: 'm', ...words }), context)
    expect(JSON.stringify(told)).not.toContain('hunter2')
  }
  expect(projectMachine(machine({ name: 'm', conditions }), context).machine!.sentence).toContain(
    'https://••••••@vcenter.example.com',
  )
})
