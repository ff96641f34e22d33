import { expect, test } from 'vitest'
import type { MissingPermission } from '../capabilities'
import { cannotWrite } from './cannot-write'

const KIND = { group: 'operator.openshift.io', resource: 'machineconfigurations' }
const lack: MissingPermission = { ...KIND, verb: 'patch', part: 'openshift-write', name: 'cluster', why: 'w' }

test('what may not be written is said, and where only the status may be', () => {
  expect(cannotWrite({ missingPermissions: [lack] }, KIND)).toBe(
    'Drydock may not change machineconfigurations.operator.openshift.io in this cluster: deploy/rbac-openshift-write.yaml grants that.',
  )
  expect(cannotWrite({ missingPermissions: [{ ...lack, statusOnly: true }] }, KIND)).toContain(
    'Drydock may change the status of machineconfigurations.operator.openshift.io but not the objects',
  )
})

test('nothing is said of what may be written, of other kinds, and where nobody has looked', () => {
  expect(cannotWrite({ missingPermissions: [] }, KIND)).toBeNull()
  expect(cannotWrite({ missingPermissions: [{ ...lack, resource: 'other' }] }, KIND)).toBeNull()
  expect(cannotWrite({ missingPermissions: [{ ...lack, verb: 'get', part: 'openshift' }] }, KIND)).toBeNull()
  expect(cannotWrite(null, KIND)).toBeNull()
})
