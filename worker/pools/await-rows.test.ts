import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { POOL } from '@/lib/domain/latch/hold'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ClusterView, Heard } from '../types'
import { awaitRows } from './await-rows'

useTestDatabase()

const poolOf = (uid: string, name: string): KubeObject => ({
  ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: POOL, built: null },
  metadata: { name: 'worker', uid, resourceVersion: '5', generation: 2, creationTimestamp: new Date(0).toISOString() },
  spec: { configuration: { name } },
  status: { observedGeneration: 2, configuration: { name }, machineCount: 1, updatedMachineCount: 1 },
})

async function late(now: Heard = 'listed') {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const node = { id: randomUUID(), clusterId, pool: 'worker', name: 'n1', phase: 'updated', joinedAt: new Date(0) }
  await db().configNode.create({ data: { ...node, currentConfig: 'old', desiredConfig: 'old' } })
  const view = { clusterId, client: {}, heard: () => 'listed', heardNow: () => now } as unknown as ClusterView
  const pool = poolOf(randomUUID(), 'a')
  return (seconds: number) => awaitRows(view, pool, () => seconds * 1_000)
}

test('rows that lag are waited for a minute, and for a minute once more when they lag another time', async () => {
  const at = await late()
  const looks = Array.from({ length: 13 }, (_, i) => i * 5)
  const waits: boolean[] = []
  for (const seconds of looks) waits.push((await at(seconds)).later)
  expect(waits).toEqual(looks.map((seconds) => seconds < 60))
  expect(await at(3_600)).toMatchObject({ later: true, old: false })
})

test('nodes that may not be read any more are waited for by nobody: what is known of them is old', async () => {
  const at = await late('refused')
  expect(await at(0)).toMatchObject({ later: false, old: true, told: false })
})
