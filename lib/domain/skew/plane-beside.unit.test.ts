import { expect, test } from 'vitest'
import { planeBeside } from './plane-beside'

const plane = (dated: string | null, datedSure: string | null = 'likely') => [
  { kind: 'MachineSet', current: 'ami-new', dated: '4.22.4', datedSure: 'certain' },
  { kind: 'ControlPlaneMachineSet', current: 'ami-old', dated, datedSure },
]
const typed = { kind: 'OCPVersion', version: '4.22.4' } as const

test('an older image of the control plane’s set is named beside the version', () => {
  expect(planeBeside(plane('4.16.0'), typed)).toContain('its image is of 4.16.0 (likely)')
  expect(planeBeside(plane('RHCOS 416.94.202406172220-0', 'certain'), typed)).toContain('RHCOS 416.94.202406172220-0,')
  expect(planeBeside(plane(null), typed)).toContain('nothing tells how old its image is')
})

test('one that is newer than that of a machine set is not the oldest, whatever is typed', () => {
  const with412 = [{ kind: 'MachineSet', current: 'x', dated: 'RHCOS 412.86.202303141005-0', datedSure: 'certain' }]
  for (const version of ['4.22.4', '4.22.5', '5.0.0'])
    expect(planeBeside([...plane('4.22.3', 'certain'), ...with412], { ...typed, version })).toBeNull()
  expect(planeBeside([...plane('RHCOS 411.86.202303141005-0'), ...with412], typed)).toContain('RHCOS 411.86')
  // Of one that cannot be dated nothing tells.
  expect(planeBeside([...plane(null), ...with412], typed)).toContain('nothing tells how old its image is')
})

test('one that was never activated makes no machines, and is not', () => {
  const [set, own] = plane('4.16.0')
  expect(planeBeside([set!, { ...own!, inactive: true }], typed)).toBeNull()
})

test('one that is no older is not', () => {
  expect(planeBeside(plane('4.22.4', 'certain'), typed)).toBeNull()
  expect(planeBeside(plane('4.16.0'), { ...typed, version: '4.16.0' })).toBeNull()
  expect(planeBeside(plane('4.16.0').slice(0, 1), typed)).toBeNull()
})
