import { expect, test } from 'vitest'
import { HELD } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ClusterView } from '../types'
import { releaseLeftover } from './release'

test('a pool is not released by what its operator counted before it saw what is wanted', async () => {
  const group: KubeObject = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: {
      ...{ name: 'worker', uid: 'u', resourceVersion: '1', generation: 4, creationTimestamp: '' },
      annotations: { [HELD]: 'waiting' },
    },
    spec: { paused: true, configuration: { name: 'a' } },
    status: { machineCount: 9, updatedMachineCount: 9, observedGeneration: 3, configuration: { name: 'a' } },
  }
  // Whatever else it asked for would be missing here.
  const client = { get: () => Promise.resolve(group) }
  expect(await releaseLeftover({ client } as unknown as ClusterView, group, null, 'over')).toBe(false)
})
