import { expect, test } from 'vitest'
import { BUILT_IN, resolve } from '@/lib/domain/policies'
import { timingToGo, type Shaped } from './shape'

const asked = {
  drainTimeout: '10m',
  detachTimeout: '5m',
  maxSurge: 0,
  maxUnavailable: 1,
  deletionOrder: 'Oldest',
} as const
const group = { cluster: 'c', workloadCluster: 'w', labels: {}, namespace: '', name: 'worker' }
const change = (groupKind: string): Shaped => ({
  ...{ overrideAt: null, pausedBy: null, pausedReason: null, pausedAt: null, stoppedBy: null, stoppedWhy: null },
  ...{ stoppedAt: null, stepWaitsAt: null, stepsDone: 0, machines: 3, wave: null, heldBy: 'latch', shape: null },
  groupKind,
})

test('what every group is to be like keeps no pool: it has none of that, and nobody writes it there', () => {
  const rules = (kind: string) =>
    resolve([{ id: 'p', name: 'everything', version: 1, spec: { select: {}, ...asked } }], { ...group, kind })
  expect(timingToGo(rules('MachineConfigPool'), change('MachineConfigPool'), new Date())).toEqual({
    open: true,
    until: null,
  })
  expect(timingToGo(rules('MachineDeployment'), change('MachineDeployment'), new Date())).toMatchObject({
    open: false,
    why: 'shape',
  })
  expect(rules('MachineConfigPool').drainTimeout.value).not.toBe(BUILT_IN.drainTimeout)
})
