import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { HELD } from '@/lib/domain/latch/names'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import { replaceCredentials } from '../clusters/replace-credentials'
import type { Ctx, Role } from '../context'
import { pausePool } from '../pools/pause-pool'
import { recordPool } from '../pools/record-pool'
import { resumePool } from '../pools/resume-pool'
import { acknowledgeSkew } from '../skew/acknowledge'
import { returnToAutomatic } from '../skew/return-to-automatic'
import { acknowledgeGate } from '../upgradeable/acknowledge-gate'
import { previewGate } from '../upgradeable/preview-gate'
import { withdrawGate } from '../upgradeable/withdraw-gate'
import { cancelAction } from './cancel-action'
import { markActionsSeen } from './mark-action-seen'
import { previewGoOn } from './preview-go-on'
import { retryAction } from './retry-action'

/** Comes between the last look at a pool's hold and the write. */
let between: (() => Promise<unknown>) | null = null
vi.mock('../pools/why-held', async (original) => {
  const { whyHeld } = await original<typeof import('../pools/why-held')>()
  const looked: typeof whyHeld = async (...of) => whyHeld(...of).finally(() => between?.())
  return { whyHeld: looked }
})

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: role, name: `${role}@example.com`, role } })
const operator = as('operator')
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const POOLS = 'machineconfigpools.machineconfiguration.openshift.io'
const GATES = 'openshift-config-managed/admin-gates'
const MC = 'machineconfigurations.operator.openshift.io'
const PLANES = {
  ...{ resource: 'controlplanemachinesets', apiGroup: 'machine.openshift.io' },
  selection: { mode: 'All' },
}
const ACKS = 'openshift-config/admin-acks'

let server: RunningApiServer
let clusterId = ''

/** What is decided with the rights of a reader fails, and can be retried with Drydock's own. */
const connectAs = (who: 'reader' | 'drydock') =>
  replaceCredentials(as('admin'), { clusterId, kubeconfig: server.users[who]!.kubeconfig })
const merge = (resource: string, key: string, body: object) =>
  server.store.merge(resource, key, body as never, SOMEBODY)

/** A pool as somebody sees it now. */
async function looked(name: string) {
  const { uid, resourceVersion, generation } = server.store.get(POOLS, name)!.metadata
  const row = { id: uid!, clusterId, name, resourceVersion: '1' }
  await db().configPool.upsert({ where: { id: row.id }, update: {}, create: row })
  return { poolId: uid!, uid, resourceVersion: resourceVersion!, generation }
}
const pausedNow = (name: string) => server.store.get(POOLS, name)?.spec?.paused

beforeAll(async () => {
  server = await startApiServer({
    ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources() },
    objects: openShiftFleet({ machines: 6 }),
    users: {
      drydock: rulesFromManifests([...rbacManifest(['openshift', 'openshift-write']), ...openShiftWriteRbac()]),
      reader: rulesFromManifests(rbacManifest(['openshift'])),
    },
  })
  const { kubeconfig } = server.users.drydock!
  ;({ clusterId } = await addCluster(as('admin'), { name: 'tidal', kubeconfig }))
}, 60_000)
afterAll(async () => {
  await closeClients()
  await server?.stop()
})

describe('a gate', () => {
  const gate = 'ack-4.22-guard-in-4.23'
  const acknowledged = () => (server.store.get('configmaps', ACKS) as { data?: Record<string, string> }).data?.[gate]
  const say = (text: string | null) => merge('configmaps', GATES, { data: { [gate]: text } })
  const refused = async () => {
    await say('Harmless.')
    await connectAs('reader')
    const { resourceVersion } = server.store.get('configmaps', ACKS)!.metadata
    const failed = await acknowledgeGate(operator, { clusterId, gate, text: 'Harmless.', resourceVersion })
    await connectAs('drydock')
    expect(failed).toMatchObject({ state: 'failed', conflict: false })
    return failed.id
  }

  test('whose text changed before a retry is not acknowledged', async () => {
    const actionId = await refused()
    await say('It removes all storage classes.')
    const again = await retryAction(operator, { actionId })
    expect(again).toMatchObject({ state: 'failed', conflict: true })
    expect(again.error).toBe(
      `The gate ${gate} says something else by now. Nothing was acknowledged: read it anew, then decide again.`,
    )
    expect(acknowledged()).toBeUndefined()
  })

  test('that is gone by then, or of which nobody knows what was read, is not either', async () => {
    const actionId = await refused()
    await say(null)
    expect(await retryAction(operator, { actionId })).toMatchObject({ state: 'failed', conflict: true })
    await say('Harmless.')
    // As an older Drydock recorded it.
    await db().openShiftAction.update({ where: { id: actionId }, data: { wish: { gate, acknowledged: true } } })
    expect(await retryAction(operator, { actionId })).toMatchObject({ state: 'failed', conflict: true })
    expect(acknowledged()).toBeUndefined()
  })

  test('that still says the same is', async () => {
    const actionId = await refused()
    expect(await retryAction(operator, { actionId })).toMatchObject({ state: 'accepted' })
    expect(acknowledged()).toBe('true')
  })
})

test('a version that the cluster has fallen below is not recorded by a retry', async () => {
  const card = { version: '4.22.4', skewSupported: true, availability: 'enforced' }
  await db().openShiftCluster.create({ data: { clusterId, ...card } })
  await connectAs('reader')
  const { uid, resourceVersion, generation } = server.store.get(MC, 'cluster')!.metadata
  const failed = await acknowledgeSkew(operator, {
    ...{ clusterId, versionKind: 'OCPVersion', version: '4.22.4', uid, resourceVersion, generation },
  })
  await connectAs('drydock')
  await db().openShiftCluster.update({ where: { clusterId }, data: { version: '4.20.1' } })
  const again = await retryAction(operator, { actionId: failed.id })
  expect(again).toMatchObject({ state: 'failed', conflict: true })
  expect(again.error).toContain('4.22.4 is newer than the cluster itself (4.20.1)')
  expect(server.store.get(MC, 'cluster')!.spec).not.toMatchObject({ bootImageSkewEnforcement: { mode: 'Manual' } })
  await db().openShiftCluster.update({ where: { clusterId }, data: { version: '4.22.4' } })
  expect(await retryAction(operator, { actionId: failed.id })).toMatchObject({ state: 'accepted' })
})

test('a list that an action replaces whole is not sent for another state than it was made for', async () => {
  const platform = { type: 'AWS', azureStack: false, topology: 'HighlyAvailable' }
  await db().openShiftCluster.update({ where: { clusterId }, data: { platform: 'AWS', evidence: { platform } } })
  await connectAs('reader')
  const { uid, resourceVersion, generation } = server.store.get(MC, 'cluster')!.metadata
  const seen = { clusterId, uid, resourceVersion, generation }
  const { id: actionId } = await returnToAutomatic(operator, { ...seen, manageAll: true })
  await connectAs('drydock')
  merge(MC, 'cluster', { spec: { managedBootImages: { machineManagers: [PLANES] } } })
  const now = server.store.get(MC, 'cluster')!.metadata
  const refused = { code: 'invalid', message: expect.stringContaining('write a whole list') as string }
  await expect(previewGoOn(operator, { actionId })).rejects.toMatchObject(refused)
  const anew = { uid, resourceVersion: now.resourceVersion, generation: now.generation }
  await expect(retryAction(operator, { actionId, ...anew })).rejects.toMatchObject(refused)
  expect(server.store.get(MC, 'cluster')!.spec).toMatchObject({ managedBootImages: { machineManagers: [PLANES] } })
})

describe('an older decision that failed', () => {
  test('is not retried over a newer one, nor taken up again by cancelling it, also where the newer changed nothing', async () => {
    await merge(POOLS, 'worker', { spec: { paused: true } })
    await connectAs('reader')
    const older = await resumePool(as('admin'), await looked('worker'))
    await connectAs('drydock')
    // Whoever may not resume it may not try that, either.
    await expect(previewGoOn(operator, { actionId: older.id })).rejects.toMatchObject({ code: 'forbidden' })
    const newer = await pausePool(operator, { ...(await looked('worker')), reason: 'freeze until Monday' })
    expect([older.state, newer.state]).toEqual(['failed', 'accepted'])
    const refused = {
      code: 'conflict',
      message: 'operator@example.com has decided anew on MachineConfigPool/worker since then.',
    }
    await expect(retryAction(as('admin'), { actionId: older.id })).rejects.toMatchObject(refused)
    await expect(cancelAction(as('admin'), { actionId: older.id })).rejects.toMatchObject({ code: 'conflict' })
    expect(pausedNow('worker')).toBe(true)
    expect(await db().openShiftAction.findUniqueOrThrow({ where: { id: older.id } })).toMatchObject({
      state: 'superseded',
    })
    // As an older Drydock left it.
    await db().openShiftAction.update({ where: { id: older.id }, data: { state: 'failed' } })
    await expect(retryAction(as('admin'), { actionId: older.id })).rejects.toMatchObject(refused)
    expect(pausedNow('worker')).toBe(true)
  })
})

describe('a control plane’s pool', () => {
  test.each(['master', 'arbiter'])(
    '%s is not paused, whoever records that, and however it came to be recorded',
    async (name) => {
      if (!server.store.get(POOLS, name))
        await server.store.create(
          POOLS,
          {
            apiVersion: 'machineconfiguration.openshift.io/v1',
            ...{ kind: 'MachineConfigPool', metadata: { name }, spec: { paused: false } },
          } as never,
          SOMEBODY,
        )
      const { poolId, ...seen } = await looked(name)
      await expect(pausePool(as('admin'), { poolId, ...seen })).rejects.toMatchObject({ code: 'invalid' })
      const wish = { clusterId, name, ...seen }
      await expect(recordPool(as('admin'), { ...wish, action: 'pause' })).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('etcd') as string,
      })
      // As an older Drydock recorded it.
      const resumed = await recordPool(as('admin'), { ...wish, action: 'resume' })
      const data = {
        ...{ state: 'failed', action: 'pause', calls: [] },
        steps: [{ label: 'Pause', body: { spec: { paused: true } }, state: 'failed', at: null }],
      }
      await db().openShiftAction.update({ where: { id: resumed.id }, data })
      expect(await retryAction(as('admin'), { actionId: resumed.id })).toMatchObject({
        state: 'failed',
        conflict: true,
      })
      expect(pausedNow(name)).toBe(false)
    },
  )
})

describe('a pool that was deleted and made anew under its name', () => {
  const make = (spec: object) =>
    server.store.create(
      POOLS,
      {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfigPool',
        metadata: { name: 'infra' },
        spec,
      } as never,
      SOMEBODY,
    )

  test('is another one, though its generation is the same', async () => {
    await make({ paused: false, maxUnavailable: 1 })
    const { poolId, ...seen } = await looked('infra')
    await server.store.delete(POOLS, 'infra', SOMEBODY)
    const { metadata } = await make({ paused: false, maxUnavailable: '100%' })
    expect(metadata.generation).toBe(seen.generation)
    const failed = await pausePool(operator, { poolId, ...seen })
    expect(failed).toMatchObject({ state: 'failed', conflict: true })
    expect(failed.error).toContain(
      'MachineConfigPool/infra was deleted in the meantime, and another made under its name. Nothing was changed: look again and decide again.',
    )
    expect(await retryAction(operator, { actionId: failed.id })).toMatchObject({ state: 'failed', conflict: true })
    // Nor where it is not said which object was looked at.
    const { uid: _, ...blind } = seen
    expect(await pausePool(operator, { poolId, ...blind })).toMatchObject({ state: 'failed', conflict: true })
    expect(pausedNow('infra')).toBe(false)
  })
})

test('resuming asks for an approver, also as a retry; what is only seen by others of a kind is not acted on', async () => {
  await merge(POOLS, 'worker', { spec: { paused: true } })
  const { poolId, ...seen } = await looked('worker')
  await expect(resumePool(operator, { poolId, ...seen })).rejects.toMatchObject({ code: 'forbidden' })
  const wish = { clusterId, name: 'worker', action: 'resume' as const, ...seen }
  await expect(recordPool(operator, wish)).rejects.toMatchObject({ code: 'forbidden' })
  await connectAs('reader')
  const { id: actionId } = await resumePool(as('approver'), { poolId, ...seen })
  await connectAs('drydock')
  await expect(retryAction(operator, { actionId })).rejects.toMatchObject({ code: 'forbidden' })
  expect(pausedNow('worker')).toBe(true)
  expect(await retryAction(as('approver'), { actionId })).toMatchObject({ state: 'accepted' })
  expect(pausedNow('worker')).toBe(false)
})

test('a hold that comes between looking and writing is not taken away by a resume, though it makes no other generation', async () => {
  await merge(POOLS, 'worker', { spec: { paused: true } })
  const { poolId: _, ...seen } = await looked('worker')
  const mark = (held: string | null) => merge(POOLS, 'worker', { metadata: { annotations: { [HELD]: held } } })
  between = () => mark('Waiting for approval in Drydock.')
  const wish = { clusterId, name: 'worker', action: 'resume' as const, ...seen }
  const failed = await recordPool(as('approver'), wish).finally(() => (between = null))
  expect(failed).toMatchObject({ state: 'failed', conflict: true })
  expect(pausedNow('worker')).toBe(true)
  await mark(null)
})

test('a resume that failed is not retried where a configuration of the pool waits since', async () => {
  await merge(POOLS, 'worker', { spec: { paused: true } })
  const { poolId, ...seen } = await looked('worker')
  await connectAs('reader')
  const { id: actionId } = await resumePool(as('approver'), { poolId, ...seen })
  await connectAs('drydock')
  const group = { clusterId, kind: 'MachineConfigPool', namespace: '', name: 'worker', workloadCluster: 'tidal' }
  const object = { apiVersion: 'machineconfiguration.openshift.io/v1', resourceVersion: '1', createdAt: new Date() }
  const letGo = rolloutDigest(server.store.get(POOLS, 'worker')!)
  await db().group.create({ data: { id: poolId, ...group, ...object, governed: true, letGo } })
  const change = {
    ...{ clusterId, groupId: poolId, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker' },
    ...{ workloadCluster: 'tidal', fingerprint: 'f', summary: '3 files', resourceVersion: '1', machines: 2 },
    ...{ state: 'waiting', heldBy: 'person', changeSet: { pairs: [], fields: [] }, outlook: {} },
  }
  const { id } = await db().change.create({ data: change })
  const again = await retryAction(as('approver'), { actionId })
  expect(again).toMatchObject({ state: 'failed', conflict: true })
  expect(again.error).toContain('(3 files): resuming would let it go')
  expect(pausedNow('worker')).toBe(true)
  await db().change.delete({ where: { id } })
  expect(await retryAction(as('approver'), { actionId })).toMatchObject({ state: 'accepted' })
})

test('what follows of a gate is judged of the gate as it is, also before the watch has heard of it', async () => {
  const rows = { state: 'open', sentence: '', form: 'conditions', gatesRead: 'read', acksRead: 'read' }
  await db().clusterUpdates.create({ data: { clusterId, version: '4.22.4', desired: '4.22.4', ...rows } })
  const named = (release: string) => ({ clusterId, gate: `ack-${release}-new-in-4.23` })
  for (const release of ['4.22', '4.21'])
    await merge('configmaps', GATES, { data: { [named(release).gate]: 'A text.' } })
  const follows = async (of: object) => (await previewGate(operator, of)).follows[0]
  expect(await follows(named('4.22'))).toBe('Updates beyond 4.22 open within seconds; none begins by itself.')
  expect(await follows({ ...named('4.22'), withdraw: true })).toContain('closes updates beyond 4.22 again')
  expect(await follows(named('4.21'))).toContain('nothing follows')
  await merge('configmaps', GATES, { data: { [named('4.22').gate]: null } })
  expect(await follows({ ...named('4.22'), withdraw: true })).toContain('nothing follows')
  await db().clusterUpdates.delete({ where: { clusterId } })
})

describe('the third tick', () => {
  test('does not come from a row of the state before', async () => {
    await merge(POOLS, 'gpu', { spec: { paused: true } })
    const { poolId, ...seen } = await looked('gpu')
    const { id } = await resumePool(as('admin'), { poolId, ...seen })
    const stateNow = async () => (await db().openShiftAction.findUniqueOrThrow({ where: { id } })).state
    // The watch is behind: its row still is of before the pool was paused.
    expect(await stateNow()).toBe('accepted')
    const generation = BigInt(server.store.get(POOLS, 'gpu')!.metadata.generation!)
    for (const [behind, state] of [
      [1n, 'accepted'],
      [0n, 'seen'],
    ] as const) {
      await db().configPool.update({ where: { id: poolId }, data: { generation: generation - behind } })
      await markActionsSeen(clusterId, 'pool')
      expect(await stateNow()).toBe(state)
    }
  })

  test('of a gate, neither: acknowledgements have versions and no generation', async () => {
    const gate = 'ack-4.22-tick-in-4.23'
    await merge('configmaps', GATES, { data: { [gate]: 'A text.' } })
    const rows = { state: 'open', sentence: '', form: 'conditions', gatesRead: 'read', acksRead: 'read' }
    await db().clusterUpdates.create({ data: { clusterId, ...rows } })
    const row = { position: 0, text: 'A text.', state: 'acknowledged', ack: 'true' }
    await db().adminGate.create({ data: { clusterId, name: gate, ...row } })
    const { uid, resourceVersion } = server.store.get('configmaps', ACKS)!.metadata
    const { id } = await acknowledgeGate(operator, { clusterId, gate, text: 'A text.', uid, resourceVersion })
    const stored = server.store.get('configmaps', ACKS)!.metadata.resourceVersion
    for (const [acksVersion, unheardWhy, state] of [
      [null, null, 'accepted'],
      [resourceVersion, null, 'accepted'],
      // Whether it still asks for it is not known.
      [stored, 'Its ClusterVersion cannot be read: no.', 'accepted'],
      [stored, null, 'seen'],
    ] as const) {
      await db().clusterUpdates.update({ where: { clusterId }, data: { acksVersion, unheardWhy } })
      await markActionsSeen(clusterId, 'gate')
      expect((await db().openShiftAction.findUniqueOrThrow({ where: { id } })).state).toBe(state)
    }
  })

  test('nor of gates that cannot be read: whether it is asked for again is not known', async () => {
    const gate = 'ack-4.22-tick-in-4.23'
    const { uid, resourceVersion } = server.store.get('configmaps', ACKS)!.metadata
    const { id } = await withdrawGate(operator, { clusterId, gate, uid, resourceVersion })
    const acksVersion = server.store.get('configmaps', ACKS)!.metadata.resourceVersion
    await db().adminGate.deleteMany({ where: { clusterId } })
    for (const [gatesRead, state] of [
      ['unreadable', 'accepted'],
      ['read', 'seen'],
    ] as const) {
      await db().clusterUpdates.update({ where: { clusterId }, data: { acksVersion, gatesRead } })
      await markActionsSeen(clusterId, 'gate')
      expect((await db().openShiftAction.findUniqueOrThrow({ where: { id } })).state).toBe(state)
    }
  })
})
