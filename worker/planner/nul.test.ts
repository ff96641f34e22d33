import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { json } from '@/lib/db/json'
import { useTestDatabase } from '@/lib/db/testing'
import { summaryOf } from '@/lib/domain/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { compareConfigs } from '@/lib/providers/openshift/compare-configs'
import { poolChange } from '@/lib/providers/openshift/pool-change'
import { plannedPool } from '@/lib/services/changes/planned-pool'

useTestDatabase()
const API = { apiVersion: 'machineconfiguration.openshift.io/v1' }
const config = (name: string, path: string, content: string) =>
  ({
    ...{ ...API, kind: 'MachineConfig', metadata: { name, uid: name, resourceVersion: '1' } },
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: { files: [{ path, mode: 420, contents: { source: `data:,${content}` } }] },
      },
    },
  }) as unknown as KubeObject

test.each([
  ['a file that is shown', '/etc/sysctl.d/99-x.conf', 'vm.swappiness%3D2%00'],
  ['the name of a file', '/etc/sysctl.d/99\0-x.conf', 'vm.swappiness%3D2'],
])('the change of a MachineConfig with a NUL in %s is kept', async (_where, path, content) => {
  const configs: Record<string, KubeObject> = {
    a: config('a', path, 'vm.swappiness%3D1'),
    b: config('b', path, content),
  }
  const pool = {
    ...{ ...API, kind: 'MachineConfigPool' },
    metadata: { name: 'infra', uid: randomUUID(), resourceVersion: '1', generation: 1 },
    spec: { configuration: { name: 'b' } },
    status: { observedGeneration: 1, configuration: { name: 'a' }, machineCount: 2, updatedMachineCount: 0 },
  } as unknown as KubeObject
  const compare = (from: string | null, to: string) =>
    compareConfigs((name: string) => Promise.resolve(configs[name]!), from!, to)
  const change = await poolChange(pool, compare as never, () => Promise.resolve({ nodes: 2, images: 0 }))
  const planned = plannedPool(pool, change!, null)
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const kept = await db().change.create({
    data: {
      ...{ clusterId, groupId: pool.metadata.uid, groupKind: 'MachineConfigPool', groupName: 'infra', namespace: '' },
      ...{ workloadCluster: 'k', resourceVersion: '1', machines: 2, state: 'waiting', heldBy: 'latch' },
      ...{ fingerprint: planned.change.fingerprint, summary: planned.summary ?? summaryOf(planned.changeSet) },
      ...{ changeSet: json(planned.changeSet), outlook: json(planned.outlook) },
    },
  })
  expect(kept.summary).toBe('file /etc/sysctl.d/99-x.conf')
  expect(JSON.stringify(kept.changeSet)).not.toMatch(/\\u0000/)
})
