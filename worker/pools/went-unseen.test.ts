import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { POOL } from '@/lib/domain/latch/hold'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { NOT_HELD } from '@/lib/services/changes/let-go-outside'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { HOUR } from '@/testenv/timed'
import type { ClusterView, Heard } from '../types'
import { throughUnseen } from './through-unseen'
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
async function through(heard: Heard = 'listed') {
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
    ...{ objects: () => new Map(), heard: () => heard },
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
    /** A change that waited for its approval until then. */
    waits: async () => {
      const change = await db().change.create({
        data: {
          ...{ clusterId, groupId: id, groupKind: POOL, namespace: '', groupName: 'worker', fingerprint: 'f' },
          ...{ workloadCluster: 'tidal', state: 'waiting', summary: 's', outlook: {}, heldBy: 'latch', machines: 3 },
          ...{ resourceVersion: '1', digest: rolloutDigest(pool)!, wish: 'w', changeSet: { pairs: [], fields: [] } },
        },
      })
      return { ...change, decisions: [] }
    },
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

test('nodes that took up another one before took up the older one to which their pool went back', async () => {
  const at = await through()
  const joinedAt = new Date(RENDERED.getTime() + 60_000)
  const nodes = [
    await at.node('n1', { joinedAt }),
    await at.node('n2', { joinedAt }),
    await at.node('n3', { joinedAt }),
  ]
  const of = { clusterId: at.view.clusterId, groupId: at.id, groupKind: POOL, namespace: '', groupName: 'worker' }
  const { id: changeId } = await db().change.create({
    data: {
      ...{ ...of, workloadCluster: 'tidal', resourceVersion: '4', fingerprint: 'f', summary: 's', outlook: {} },
      ...{ digest: rolloutDigest(poolOf(at.id, 'a'))!, changeSet: { pairs: [], fields: [] }, state: 'done' },
      ...{ heldBy: 'none', machines: 3, detectedAt: RENDERED, finishedAt: RENDERED },
    },
  })
  const before = { changeId, state: 'done', startedAt: RENDERED, finishedAt: RENDERED }
  await db().machineProgress.createMany({
    data: nodes.map(({ id, name }) => ({ ...before, machineId: id, machineName: name })),
  })
  expect(await at.look()).toBe(true)
  expect(await at.names()).toEqual(['n1, n2, n3'])
})

test('what waited is over also where no node is known by name, and no wave goes by it', async () => {
  const at = await through('refused')
  const open = await at.waits()
  expect(await throughUnseen(at.view, at.pool, open.digest, open)).toBe('ended')
  expect(await at.change()).toMatchObject({ state: 'done', heldBy: 'none', wish: null })
  const [event, ...more] = await db().auditEvent.findMany({ where: { targetId: open.id } })
  expect(event).toMatchObject({ action: NOT_HELD, details: { summary: 's' } })
  expect(more).toEqual([])
})

test('nodes that are known from before, and may not be listed now, took up what waited by the word of their operator', async () => {
  const at = await through('refused')
  const open = await at.waits()
  for (const name of ['n1', 'n2', 'n3']) {
    const { id: machineId } = await at.node(name, { currentConfig: 'a', desiredConfig: 'a' })
    await db().machineProgress.create({ data: { changeId: open.id, machineId, machineName: name, state: 'waiting' } })
  }
  // Rows that nobody writes any more would never say that they are through.
  const look = async () => throughUnseen(at.view, at.pool, open.digest, { ...(await at.change())!, decisions: [] })
  for (let looks = 0; (await look()) === 'later' && looks < 3; looks++);
  expect(await at.names()).toEqual(['n1, n2, n3'])
  expect(await at.change()).toMatchObject({ state: 'done', wish: null })
})

test('nodes that were there when it came waited for it, also where nobody had looked at them; others may have begun with it', async () => {
  const at = await through()
  const open = await at.waits()
  for (const name of ['n1', 'n2']) await at.node(name)
  expect(await throughUnseen(at.view, at.pool, open.digest, open)).toBe('later')
  await at.node('n3', { joinedAt: new Date(open.detectedAt.getTime() + 60_000) })
  expect(await throughUnseen(at.view, at.pool, open.digest, open)).toBeNull()
  expect(await at.names()).toEqual(['n1, n2'])
})

test('of a pool that nobody governs, and somebody resumed, nothing is told to have gone unapproved', async () => {
  const at = await through()
  await db().group.update({ where: { id: at.id }, data: { governed: false } })
  const { clusterId } = at.view
  await db().managementCluster.update({ where: { id: clusterId }, data: { policy: { create: { governs: 'none' } } } })
  const { id } = await at.waits()
  const open = { ...(await db().change.update({ where: { id }, data: { heldBy: 'person' } })), decisions: [] }
  for (const name of ['n1', 'n2', 'n3']) await at.node(name)
  expect(await throughUnseen(at.view, at.pool, open.digest, open)).toBeNull()
  expect(await at.names()).toEqual([])
  expect(await db().machineProgress.count({ where: { changeId: id, startedAt: { not: null } } })).toBe(3)
})
