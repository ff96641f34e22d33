import { expect, test } from 'vitest'
import { floorOf } from './floors'
import type { SkewState } from './types'
import { skewVerdict } from './verdict'

const taken = (spec: SkewState['spec'], recorded: SkewState['recorded'] = { ocpVersion: '4.14.8' }) =>
  skewVerdict(
    {
      ...{ supported: true, mode: 'Manual', spec, recorded, managers: [], effectiveManagers: [], conditions: [] },
      ...{ generation: 3, observedGeneration: 2 },
    },
    floorOf('4.22.3'),
    '4.22.3',
  ).sentence

test('acknowledged is what somebody did, and not what the operator still says before it takes that up', () => {
  const own = 'Recorded by the operator: 4.14.8'
  expect(taken({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.14.8' } })).toContain('Acknowledged: 4.14.8') // prettier-ignore
  expect(taken({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.18.0' } })).toContain(own)
  expect(taken({ mode: 'None' })).toContain(own)
  expect(taken(null)).toContain(own)
  const rhcosVersion = '9.6.20251023-0'
  expect(taken({ mode: 'Manual', manual: { mode: 'RHCOSVersion', rhcosVersion } }, { rhcosVersion })).toContain('Acknowledged: RHCOS') // prettier-ignore
})
