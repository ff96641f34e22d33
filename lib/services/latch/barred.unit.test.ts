import { expect, test } from 'vitest'
import type { Capabilities, MissingPermission } from '@/lib/domain/capabilities'
import { barredWords } from './barred'
import type { LatchTarget } from './target'

const lack = (verb: string, group: string, resource: string): MissingPermission => ({
  ...{ verb, group, resource, part: 'openshift-latch', why: 'to do it' },
})
const barred = (...latchOfPools: MissingPermission[]) =>
  barredWords({
    capabilities: { latchOfPools, missingPermissions: [], resources: {} } as Partial<Capabilities> as Capabilities,
    pools: 'same-write',
    cluster: {} as LatchTarget['cluster'],
  })

test('of the role for the latch of pools, what only says why a pool is held is not needed for latching it', () => {
  expect(barred()).toBeNull()
  expect(barred(lack('create', '', 'events'))).toBeNull()
  const write = lack('create', 'admissionregistration.k8s.io', 'mutatingwebhookconfigurations')
  expect(barred(write)).toMatch(/granted in part/)
  expect(barred(write, lack('create', '', 'events'))).toMatch(/granted in part/)
})
