import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { latchedCluster } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { startGate, type Gate } from '@/worker/gate'
import { groupsLeftHeld } from '../changes/place'
import { systemCtx } from '../context'
import { registerGate } from '../gate/register-gate'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

useTestDatabase()
const at = latchedCluster()
const ctx = systemCtx('test')

// Keys and the gate's certificate of this file alone.
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir
let gate: Gate
let held: Held
beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  await registerGate(ctx, { clusterId: at.clusterId, url: gate.url })
  held = await at.held()
})
afterAll(async () => {
  await gate?.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** It waits with the version of its Cluster, and is neither paused nor touched. */
async function atHook(): Promise<string> {
  const { id: _, groupId: __, ...more } = held.change
  const { clusterId, namespace, workloadCluster, groupKind: kind } = held.change
  const [id, name] = [randomUUID(), 'topo']
  const api = { apiVersion: 'cluster.x-k8s.io/v1beta2', resourceVersion: '1', createdAt: new Date() }
  await db().group.create({ data: { id, clusterId, kind, namespace, name, workloadCluster, governed: true, ...api } })
  const change = { ...more, groupId: id, groupName: name, heldBy: 'hook' }
  await db().change.create({ data: change as Prisma.ChangeUncheckedCreateInput })
  return `MachineDeployment ${namespace}/${name}`
}

test('what waits at a hook gets the version without the gate: it is held then where a latch stands, else it would move', async () => {
  const { clusterId } = at
  const group = await atHook()
  const asked = async () => {
    const { atHook: waits, wouldMove } = await planDisconnect(ctx, { clusterId })
    return { waits, wouldMove }
  }
  const latched = (latchForm: string, state = 'intact') =>
    db().managementCluster.update({ where: { id: clusterId }, data: { latchForm, latchStatus: { state } } })
  const why =
    'Only a hook of Cluster API keeps the version of its Cluster from it: without the gate it gets that and rolls.'
  const moves = { waits: [], wouldMove: [{ group, digest: held.change.digest, why }] }
  await latched('policy')
  expect(await asked()).toEqual({ waits: [group], wouldMove: [] })
  // It is known not to hold.
  for (const state of ['missing', 'changed', 'not-ours', 'ineffective']) {
    await latched('policy', state)
    expect(await asked()).toEqual(moves)
  }
  // Drydock itself pauses there, and is gone by then.
  await latched('watch')
  expect(await asked()).toEqual(moves)
  await latched('policy')
  const governed = (is: boolean) => db().group.updateMany({ where: { name: 'topo' }, data: { governed: is } })
  await governed(false)
  expect(await asked()).toEqual(moves)
  const strategy = (of: string | null) => db().group.updateMany({ where: { name: 'topo' }, data: { strategy: of } })
  await strategy('OnDelete')
  expect(await asked()).toEqual({ waits: [], wouldMove: [] })
  await strategy(null)
  await governed(true)

  const { staysHeld } = await disconnectCluster(ctx, { clusterId, confirm: 'm' })
  expect(staysHeld).toEqual([`MachineDeployment ${held.namespace}/${held.name}`])
  expect(await groupsLeftHeld(clusterId)).toEqual([...staysHeld, group])
})
