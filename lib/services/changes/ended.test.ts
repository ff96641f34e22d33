import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { getCluster } from '../clusters/get-cluster'
import { listClusters } from '../clusters/list-clusters'
import { forgetRows } from '../clusters/forget-rows'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { getUpdate, listUpdates } from '../fleet/list-updates'

useTestDatabase()
const ctx = systemCtx('test')
const KIND = 'MachineDeployment'

async function connected(name: string) {
  const data = { name, server: 'https://127.0.0.1:1', state: 'connected' }
  const { id } = await db().managementCluster.create({ data })
  await db().policy.create({ data: { clusterId: id, governs: 'all' } })
  await db().clusterCredential.create({ data: { clusterId: id, sealed: Buffer.from('x'), keyId: 'k' } })
  return { id, name }
}

async function changeOf(clusterId: string, groupName: string, state: string, more: object = {}) {
  const group = { groupId: randomUUID(), groupKind: KIND, namespace: 'payments', groupName }
  const { id } = await db().change.create({
    data: {
      ...{ clusterId, ...group, workloadCluster: 'prod', fingerprint: 'a', state, summary: 'v1 → v2' },
      ...{ heldBy: 'latch', resourceVersion: '1', machines: 1, changeSet: { pairs: [], fields: [] } },
      outlook: { inPlace: null, replace: { counts: {}, created: 0, deleted: 0, headline: '' }, uncovered: [] },
      ...more,
    },
  })
  return { id, ...group }
}

const say = (cluster: { id: string; name: string }, action: string, result: 'ok' | 'failed', details: object = {}) =>
  db().$transaction((tx) => {
    const target = { kind: 'ManagementCluster', id: cluster.id, name: cluster.name }
    return recordAudit(tx, ctx, { action, target, cluster, result, details: { ...details } })
  })

async function disconnect(cluster: { id: string; name: string }, staysHeld: string[], more: object = {}) {
  await say(cluster, 'cluster.disconnect', 'ok')
  await db().managementCluster.update({ where: { id: cluster.id }, data: { state: 'disconnected' } })
  await db().clusterCredential.deleteMany({ where: { clusterId: cluster.id } })
  await db().$transaction((tx) => forgetRows(tx, cluster.id))
  await say(cluster, 'cluster.disconnected', 'ok', { staysHeld, ...more })
}

const kept = (id: string, clusterId: string, name: string) =>
  db().group.create({
    data: {
      ...{ id, clusterId, kind: KIND, namespace: 'payments', name, workloadCluster: 'prod', governed: true },
      ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', resourceVersion: '1', createdAt: new Date() },
    },
  })

test('says which it was: a newer change, its group that was deleted, or its cluster that was disconnected', async () => {
  const half = await connected('half')
  // One that did not come to its end says nothing of what ended before it.
  const deleted = await changeOf(half.id, 'deleted', 'superseded', { detectedAt: new Date(0), finishedAt: new Date() })
  await say(half, 'cluster.disconnect', 'ok')
  await say(half, 'cluster.disconnected', 'failed')
  const held = await changeOf(half.id, 'held', 'waiting')
  const moving = await changeOf(half.id, 'moving', 'running', { startedAt: new Date() })
  await kept(held.groupId, half.id, 'held')
  expect(await getUpdate(ctx, held.id)).toMatchObject({ place: 'here', stillHeld: false, ended: null })

  await disconnect(half, [`${KIND} payments/held`], {
    ...{ moves: [`${KIND} payments/moving`], goesOn: [`${KIND} payments/going`] },
  })
  const { ended, changes } = await listUpdates(ctx, { tab: 'done', cluster: 'half' })
  expect(changes).toHaveLength(3)
  expect(ended).toEqual({ [deleted.id]: 'deleted', [held.id]: 'disconnected', [moving.id]: 'disconnected' })
  expect(await getUpdate(ctx, held.id)).toMatchObject({ place: 'disconnected', stillHeld: true, ended: 'disconnected' })
  expect((await getCluster(ctx, { clusterId: half.id })).leftHeld).toEqual({
    ...{ count: 1, names: [`${KIND} payments/held`] },
  })
  expect((await getCluster(ctx, { clusterId: half.id })).leftGoing).toEqual({
    ...{ count: 1, names: [`${KIND} payments/going`] },
  })
  expect((await getCluster(ctx, { clusterId: half.id })).leftMoving).toEqual({
    ...{ count: 1, names: [`${KIND} payments/moving`] },
  })
  expect((await listClusters(ctx)).find(({ id }) => id === half.id)).toMatchObject({ leftHeld: 1 })
  const other = await getUpdate(ctx, moving.id)
  expect(other).toMatchObject({ place: 'disconnected', stillHeld: false, ended: 'disconnected', newer: null })
  const { name } = ctx.actor
  expect(other.leftBy).toEqual({ name, moves: true })
  expect(other.timeline.at(-1)?.text).toBe(`Over: ${name} disconnected its cluster, although this moved by it.`)
  const stays = await getUpdate(ctx, held.id)
  expect(stays.leftBy).toEqual({ name, moves: false })
  expect(stays.timeline.at(-1)?.text).toBe(`Over: ${name} disconnected its cluster.`)
  expect((await getUpdate(ctx, deleted.id)).leftBy).toBeNull()
  expect((await getUpdate(ctx, deleted.id)).timeline.at(-1)?.text).toBe('Over: its group was deleted.')

  // Connected again, and listed anew: what ended then did not end otherwise by that.
  await db().clusterCredential.create({ data: { clusterId: half.id, sealed: Buffer.from('x'), keyId: 'k' } })
  await db().managementCluster.update({ where: { id: half.id }, data: { state: 'pending' } })
  expect(await getUpdate(ctx, held.id)).toMatchObject({ place: 'unheard', stillHeld: false })
  await db().managementCluster.update({ where: { id: half.id }, data: { state: 'connected' } })
  await db().stream.create({
    data: { clusterId: half.id, resource: 'machinedeployments.cluster.x-k8s.io', state: 'watching' },
  })
  expect(await getUpdate(ctx, moving.id)).toMatchObject({ place: 'gone' })
  await kept(held.groupId, half.id, 'held')
  await changeOf(half.id, 'held', 'waiting', { groupId: held.groupId })
  expect(await getUpdate(ctx, held.id)).toMatchObject({ place: 'here', ended: 'disconnected' })
  // Of two times the last one counts.
  await disconnect(half, [`${KIND} payments/held`, `${KIND} payments/other`])
  expect((await listClusters(ctx)).find(({ id }) => id === half.id)).toMatchObject({ leftHeld: 2 })
})

test('a newer change ends the one before it', async () => {
  const east = await connected('east')
  const at = new Date(Date.now() - 60_000)
  const first = await changeOf(east.id, 'workers', 'superseded', { detectedAt: at, finishedAt: new Date() })
  await changeOf(east.id, 'workers', 'waiting', { groupId: first.groupId })
  expect(await getUpdate(ctx, first.id)).toMatchObject({ ended: 'newer', place: 'unheard' })
})
