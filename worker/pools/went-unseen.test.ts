import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { POOL } from '@/lib/domain/latch/hold'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { HOUR } from '@/testenv/timed'
import type { ClusterView } from '../types'
import { recordUnseen } from './went-unseen'

useTestDatabase()

const API = 'machineconfiguration.openshift.io/v1'
const RENDERED = new Date(Date.now() - HOUR)
const counted = (n: number) => ({
  ...{ machineCount: n, updatedMachineCount: n, readyMachineCount: n },
  ...{ unavailableMachineCount: 0, degradedMachineCount: 0 },
})
const poolOf = (uid: string, config: string): KubeObject => ({
  ...{ apiVersion: API, kind: POOL, built: null },
  metadata: { name: 'worker', uid, resourceVersion: '5', generation: 2, creationTimestamp: new Date(0).toISOString() },
  spec: { configuration: { name: config } },
  status: { observedGeneration: 2, configuration: { name: config }, ...counted(3) },
})
const configOf = (name: string): KubeObject => ({
  ...{ apiVersion: API, kind: 'MachineConfig', spec: { kernelArguments: [name] } },
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: RENDERED.toISOString() },
})

/** A governed pool of three nodes wants another configuration than it was let go with last, and its operator says that all have it. */
async function through() {
  const lease = { create: { owner: 'me', fence: 1, until: new Date(Date.now() + HOUR) } }
  const latch = { latchForm: 'watch', watchSince: new Date(), watchFence: 1, watchLookedAt: new Date() }
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: randomUUID(), server: 'https://x', state: 'connected', ...latch, lease },
  })
  const id = randomUUID()
  const row = { id, clusterId, name: 'worker', resourceVersion: '5' }
  await db().configPool.create({ data: { ...row, machines: 3, updated: 3, desiredConfig: 'b', currentConfig: 'b' } })
  const of = { kind: POOL, apiVersion: API, namespace: '', workloadCluster: 'tidal', createdAt: new Date() }
  const letGo = rolloutDigest(poolOf(id, 'a'))
  await db().group.create({ data: { ...row, ...of, governed: true, letGo } })
  const client = { get: (_: unknown, name: string) => Promise.resolve(configOf(name)) } as unknown as KubeClient
  const view = {
    ...{ clusterId, name: 'tidal', fence: 1n, client, capabilities: { resources: {} } },
    ...{ objects: () => new Map(), heard: () => 'listed' },
  } as unknown as ClusterView
  const pool = poolOf(id, 'b')
  return {
    id,
    pool,
    view,
    node: (name: string, data: object = {}) =>
      db().configNode.create({
        data: {
          ...{ id: randomUUID(), clusterId, pool: 'worker', name, phase: 'updated', joinedAt: new Date(0) },
          ...{ currentConfig: 'b', desiredConfig: 'b', ...data },
        },
      }),
    look: () => recordUnseen(view, pool, rolloutDigest(pool)!, null, null),
    change: () => db().change.findFirst({ where: { groupId: id } }),
    names: async () => {
      const events = await db().auditEvent.findMany({
        where: { targetKind: POOL, clusterId, action: MOVED_UNAPPROVED },
      })
      return events.map(({ details }) => (details as { nodes: string }).nodes)
    },
  }
}

test('what all nodes took up while nobody watched is on record once the rows of all of them say so', async () => {
  const at = await through()
  await at.node('n1')
  const late = await at.node('n2', { currentConfig: 'a', phase: 'updating' })
  expect(await at.look()).toBe('later')
  await at.node('n3')
  expect(await at.look()).toBe('later')
  expect(await at.change()).toBeNull()
  await db().configNode.update({ where: { id: late.id }, data: { currentConfig: 'b', phase: 'updated' } })
  expect(await at.look()).toBe(true)
  expect(await at.names()).toEqual(['n1, n2, n3'])
  expect(await at.look()).toBe(false)
})

test('a node that was made after its configuration was rendered may have begun with it, and is not told to have taken it up', async () => {
  const at = await through()
  await at.node('n1')
  await at.node('n2', { joinedAt: new Date(RENDERED.getTime() - 1) })
  await at.node('n3', { joinedAt: new Date(RENDERED.getTime() + 60_000) })
  expect(await at.look()).toBe(true)
  expect(await at.names()).toEqual(['n1, n2'])
  const change = await at.change()
  expect(change).toMatchObject({ state: 'done', machines: 3, outcome: { updatedInPlace: 2, unapproved: 2 } })
  const rows = await db().machineProgress.findMany({ where: { changeId: change!.id, startedAt: null } })
  expect(rows).toMatchObject([{ machineName: 'n3', state: 'done', predicted: 'up-to-date' }])
})
