import { expect, test } from 'vitest'
import { setsWords } from './managed-row'

test('machine sets are counted, and the control plane’s is said beside where it is managed', () => {
  const set = { kind: 'MachineSet', fate: 'changes' } as const
  const plane = { kind: 'ControlPlaneMachineSet', fate: 'left' } as const
  expect(setsWords([set, { ...set, fate: 'skipped' }, plane])).toBe('2 machine sets: 1 with a new image, 1 skipped.')
  expect(setsWords([set, { ...plane, fate: 'stays' }])).toBe(
    '1 machine set: 1 with a new image. The control plane’s: current already.',
  )
})
