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

test('one that is no older is not', () => {
  expect(planeBeside(plane('4.22.4', 'certain'), typed)).toBeNull()
  expect(planeBeside(plane('4.16.0'), { ...typed, version: '4.16.0' })).toBeNull()
  expect(planeBeside(plane('4.16.0').slice(0, 1), typed)).toBeNull()
})
