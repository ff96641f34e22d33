import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, POOL_PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ClusterView } from '../types'
import { clearLeftMark } from './clear-left-mark'

useTestDatabase()

test.each([
  ['its words stand, and Drydock is the latch: it is put back', true, true, true, 0],
  ['its words stand where another latch is', true, false, true, 1],
  ['its words stand, and nothing is governed any more', true, true, false, 1],
  ['its words are gone', false, true, true, 1],
])('a mark that was left: %s', async (_, held, watched, governed, patches) => {
  const [id, name] = [randomUUID(), randomUUID()]
  const { id: clusterId } = await db().managementCluster.create({
    data: { name, server: `https://${name}`, state: 'connected', watchSince: watched ? new Date() : null },
  })
  const kind = { kind: 'MachineConfigPool', apiVersion: 'machineconfiguration.openshift.io/v1' }
  await db().group.create({
    data: {
      ...{ ...kind, id, clusterId, namespace: '', name: 'worker', workloadCluster: 'c', governed },
      ...{ resourceVersion: '1', createdAt: new Date() },
    },
  })
  const annotations = { [POOL_PAUSED]: 'drydock', ...(held ? { [HELD]: 'waiting' } : {}) }
  const metadata = { name: 'worker', uid: id, resourceVersion: '1', creationTimestamp: '', annotations }
  const pool: KubeObject = { ...kind, metadata, spec: { paused: false } }
  const sent: unknown[] = []
  const client = { patch: (...call: unknown[]) => Promise.resolve(sent.push(call) && pool) }
  const view = { clusterId, name, client, fence: 1n } as unknown as ClusterView
  await clearLeftMark(view, pool)
  expect(sent).toHaveLength(patches)
})
