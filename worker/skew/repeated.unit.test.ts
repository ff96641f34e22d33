import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { skewRows } from '@/lib/providers/openshift/skew-rows'
import { objects } from '@/lib/providers/openshift/testing/samples'
import { VERSIONS } from './silent'
import { unheardRows } from './unheard'

const SAYS = 'Upgrades have been disabled because the cluster is using OCP boot image version 4.12.0'
const verdict = { what: 'MachineConfiguration', message: 'it is forbidden' }

test('what ClusterVersion repeats of an operator that cannot be read holds where ClusterVersion itself is heard', () => {
  const world = objects('manual-in-range')
  const clusterVersion = structuredClone(world.clusterVersion) as KubeObject & { status: { conditions: unknown[] } }
  clusterVersion.status.conditions = [{ type: 'Upgradeable', status: 'False', reason: 'Other', message: SAYS }]
  const rows = skewRows({ ...world, clusterVersion, operator: undefined }, true)
  const told = (...streams: string[]) => unheardRows(rows, { verdict, images: null, record: null, streams }).judgement
  expect(told()).toEqual({
    verdict: 'unknown',
    sentence: `Its MachineConfiguration cannot be read: it is forbidden. ClusterVersion repeats that its operator keeps updates closed for its boot images: ${SAYS}.`,
    blocks: expect.stringContaining('are closed') as string,
  })
  expect(told(VERSIONS)).toMatchObject({ blocks: null, sentence: expect.stringContaining('not known') as string })
})
