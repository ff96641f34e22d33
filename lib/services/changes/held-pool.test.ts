import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { needsYou } from '../fleet/needs-you'
import { ada } from '@/testenv/timed'
import { heldFor, heldSince } from './held-for'
import { pausedByOthers } from './their-pause'

useTestDatabase()

test('the hold of a pool is as old as its pause, whatever was written to it since', async () => {
  const at = (day: number) => new Date(Date.UTC(2026, 10, day))
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: 'tidal', server: 'https://tidal', state: 'connected' },
  })
  const id = randomUUID()
  const about = { clusterId, name: 'worker', resourceVersion: '9' }
  await db().group.create({
    data: {
      ...{ ...about, id, kind: 'MachineConfigPool', apiVersion: 'machineconfiguration.openshift.io/v1', namespace: '' },
      ...{ workloadCluster: 'tidal', held: 'waiting', heldSince: at(20), createdAt: at(1) },
    },
  })
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker' },
      ...{ workloadCluster: 'tidal', fingerprint: 'f', summary: 's', changeSet: {}, outlook: {}, heldBy: 'latch' },
      ...{ resourceVersion: '9', detectedAt: at(20), state: 'waiting', machines: 3 },
    },
  })
  const since = async () => (await heldSince([change.id]))[change.id]
  expect(await since()).toBe(at(20).toISOString())
  await db().configPool.create({ data: { ...about, id, paused: true, pausedSince: at(3) } })
  expect(await since()).toBe(at(3).toISOString())
  expect(await heldFor({ ...change, toVersion: null })).toMatchObject({ since: at(3).toISOString() })
  // What is of another cluster says nothing of it.
  const { id: other } = await db().managementCluster.create({
    data: { name: 'boje', server: 'https://boje', state: 'connected' },
  })
  await db().configPool.update({ where: { id }, data: { clusterId: other } })
  expect(await since()).toBe(at(20).toISOString())
})

test('a pause of a pool keeps no node that has begun: after the last one it is not what a change stands still for', async () => {
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: 'mast', server: 'https://mast', state: 'connected' },
  })
  const id = randomUUID()
  const ownPause = { annotation: false, spec: true, guarded: false }
  const about = { clusterId, name: 'worker', resourceVersion: '9' }
  await db().configPool.create({ data: { ...about, id, paused: true } })
  await db().group.create({
    data: {
      ...{ ...about, id, kind: 'MachineConfigPool', apiVersion: 'machineconfiguration.openshift.io/v1', namespace: '' },
      ...{ workloadCluster: 'mast', paused: true, ownPause, createdAt: new Date() },
    },
  })
  const stuckReason = 'n1: A disruption budget keeps shop/ledger-0.'
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker' },
      ...{ workloadCluster: 'mast', fingerprint: 'f', summary: 's', changeSet: {}, outlook: {}, heldBy: 'latch' },
      ...{ resourceVersion: '9', state: 'stuck', stuckReason, machines: 2 },
    },
  })
  const kept = async () => ({
    list: (await pausedByOthers([change.id])).get(change.id) ?? null,
    page: (await heldFor({ ...change, toVersion: null }))!.theirs,
    need: (await needsYou(ada, {})).find((need) => need.id === change.id)?.sentence,
  })
  const theirs = { list: 'group', page: 'group' }
  const besides = `Stuck: ${stuckReason} Somebody paused the pool themselves, and has to take that away`
  // Before anything is known of its nodes.
  expect(await kept()).toEqual({ ...theirs, need: besides })
  const node = async (name: string, state: string) => {
    const machineId = randomUUID()
    await db().configNode.create({ data: { id: machineId, clusterId, pool: 'worker', name, phase: 'pending' } })
    await db().machineProgress.create({ data: { changeId: change.id, machineId, machineName: name, state } })
    return { changeId_machineId: { changeId: change.id, machineId } }
  }
  await node('n1', 'updating')
  const where = await node('n2', 'waiting')
  expect(await kept()).toEqual({ ...theirs, need: besides })
  await db().machineProgress.update({ where, data: { state: 'done' } })
  expect(await kept()).toEqual({ list: null, page: null, need: `Stuck: ${stuckReason}` })
})
