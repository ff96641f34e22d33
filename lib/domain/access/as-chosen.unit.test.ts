import { expect, test } from 'vitest'
import type { Capabilities, MissingPermission } from '../capabilities'
import { asChosen } from './as-chosen'

const lack = (part: MissingPermission['part']) => ({ verb: 'patch', group: '', resource: 'x', part, why: '' })
const [write, latch] = [lack('openshift-write'), lack('openshift-latch')] as [MissingPermission, MissingPermission]
const found = (of: Partial<Capabilities>) => ({ openshift: {}, ...of }) as Capabilities

test('what the latch of pools lacks is missing once somebody chose it, and apart once nobody does', () => {
  const apart = found({ missingPermissions: [write], latchOfPools: [latch] })
  const chosen = found({ missingPermissions: [write, latch] })
  expect(asChosen(apart, true)).toEqual(chosen)
  expect(asChosen(chosen, false)).toEqual(apart)
  expect(asChosen(chosen, true)).toBe(chosen)
  expect(asChosen(apart, false)).toBe(apart)
  const capi = found({ openshift: null, missingPermissions: [] })
  expect(asChosen(capi, false)).toBe(capi)
})
