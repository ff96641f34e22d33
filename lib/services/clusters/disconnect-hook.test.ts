import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { LATCHED } from '@/lib/domain/latch/table'
import { KubeUnreachable } from '@/lib/kubernetes/types'
import { latchedCluster } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { applyLatch } from '@/testenv/latch'
import { startGate, type Gate } from '@/worker/gate'
import { groupsLeft } from '../changes/place'
import { systemCtx } from '../context'
import { registerGate } from '../gate/register-gate'
import { kubeClientFor } from './connection'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

const BINDINGS = { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'mutatingadmissionpolicybindings' }

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

const WHY =
  'Only a hook of Cluster API keeps the version of its Cluster from it: without the gate it gets that and rolls.'

test('what waits at a hook gets the version without the gate: it is held then where a latch stands, else it would move', async () => {
  const { clusterId } = at
  const latched = (latchForm: string, state = 'intact') =>
    db().managementCluster.update({ where: { id: clusterId }, data: { latchForm, latchStatus: { state } } })
  const governs = (what: string) => {
    const data = { governs: what, labelKey: 'drydock.dev/governed', labelValue: 'true' }
    return db().policy.upsert({ where: { clusterId }, create: { clusterId, ...data }, update: data })
  }
  const asked = async () => {
    const { atHook: waits, wouldMove } = await planDisconnect(ctx, { clusterId })
    return { waits, wouldMove }
  }
  await latched('policy')
  await governs('namespace-label')
  const looks = await lookingAtLatch()
  expect(await asked()).toEqual({ waits: [], wouldMove: [] })
  // Nothing waits at a hook.
  expect(looks.made).toBe(0)

  const group = await atHook()
  const moves = { waits: [], wouldMove: [{ group, digest: held.change.digest, why: WHY }] }
  const waits = { waits: [group], wouldMove: [] }
  expect(await asked()).toEqual(waits)
  expect(looks.made).toBeGreaterThan(0)
  // As it was found at the last look, and is not any more.
  await latched('policy', 'missing')
  expect(await asked()).toEqual(waits)
  await latched('policy')
  await at.cluster.admin.delete(BINDINGS, LATCHED[0]!.policy)
  expect(await asked()).toEqual(moves)
  await applyLatch(at.cluster.admin)
  expect(await asked()).toEqual(waits)
  looks.fail = true
  expect(await asked()).toEqual(moves)
  looks.fail = false
  // Drydock itself pauses there, and is gone by then.
  await latched('watch')
  expect(await asked()).toEqual(moves)
  await latched('policy')
  await governs('none')
  expect(await asked()).toEqual(moves)
  await governs('namespace-label')
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
  expect((await groupsLeft(clusterId)).held).toEqual([...staysHeld, group])
})

/** Counts how often the API server is asked for the latch, and has that fail. */
async function lookingAtLatch(): Promise<{ made: number; fail: boolean }> {
  const client = await kubeClientFor(at.clusterId)
  const { list } = client
  const looks = { made: 0, fail: false }
  client.list = (resource, ...more) => {
    if (resource.plural !== BINDINGS.plural) return list(resource, ...more)
    looks.made++
    return looks.fail ? Promise.reject(new KubeUnreachable('timed out', 'GET')) : list(resource, ...more)
  }
  return looks
}
