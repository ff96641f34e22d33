import { expect, test } from 'vitest'
import type { Capabilities, MissingPermission } from '../capabilities'
import { asChosen } from './as-chosen'

const lack = (part: MissingPermission['part']) => ({ verb: 'patch', group: '', resource: 'x', part, why: '' })
const [write, latch] = [lack('openshift-write'), lack('openshift-latch')] as [MissingPermission, MissingPermission]
const found = (of: Partial<Capabilities>) => ({ openshift: {}, ...of }) as Capabilities
const latched = { governs: 'all', pools: 'same-write' }

test('what the latch of pools lacks is missing once somebody chose it, and apart once nobody does', () => {
  const apart = found({ missingPermissions: [write], latchOfPools: [latch] })
  const chosen = found({ missingPermissions: [write, latch] })
  expect(asChosen(apart, latched)).toEqual(chosen)
  expect(asChosen(chosen, null)).toEqual(apart)
  for (const other of [
    { ...latched, governs: 'none' },
    { ...latched, pools: 'pausing' },
  ])
    expect(asChosen(chosen, other)).toEqual(apart)
  expect(asChosen(chosen, latched)).toBe(chosen)
  expect(asChosen(apart, null)).toBe(apart)
  const capi = found({ openshift: null, missingPermissions: [] })
  expect(asChosen(capi, null)).toBe(capi)
})
