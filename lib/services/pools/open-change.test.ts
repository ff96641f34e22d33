import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ada, CLOSED, cy } from '@/testenv/timed'
import { recordAudit } from '../audit/record'
import { MOVED_UNAPPROVED } from '../changes/moved-unapproved'
import { systemCtx } from '../context'
import { getUpdate } from '../fleet/list-updates'
import { savePolicy } from '../policies/save-policy'
import { comingHold } from './coming-hold'
import { getPool } from './get-pool'
import { listPools } from './list-pools'
import { requireNotHeld } from './pool-of'

// None of these clusters is there.
vi.mock('../clusters/connection', async (original) => ({ ...(await original<object>()), kubeClientFor: () => null }))
vi.mock('../openshift/read-target', () => ({ readTarget: () => ({ metadata: {} }) }))

useTestDatabase()

const POOL = 'MachineConfigPool'
const outcome = { counts: { 'in-place': 2 }, created: 0, deleted: 0, headline: '' }

const POOLS = 'machineconfigpools.machineconfiguration.openshift.io'

/** A cluster whose governed groups a worker watches and pauses. */
async function watched(name: string, discovery = {}): Promise<string> {
  const { id } = await db().managementCluster.create({
    data: {
      ...{ name, server: '', state: 'connected', latchForm: 'watch', discovery },
      ...{ watchSince: new Date(), watchFence: 1, watchLookedAt: new Date() },
      lease: { create: { owner: 'me', fence: 1, until: new Date(Date.now() + 3_600_000) } },
    },
  })
  return id
}

/** Held, with a configuration that waits. `own`: by somebody's own pause and not by Drydock. */
async function held(clusterId: string, name: string, { own = false, due = false } = {}): Promise<string> {
  const id = randomUUID()
  const about = { id, clusterId, name, resourceVersion: '1' }
  const certificates = [{ bundle: 'b', subject: 'CN=signer', expiry: '2099-01-17T00:00:00Z' }]
  const pool = { paused: true, state: 'behind', severity: 60, machines: 2, certificates }
  await db().configPool.create({ data: { ...about, ...pool } })
  await db().group.create({
    data: {
      ...{ ...about, kind: POOL, apiVersion: 'machineconfiguration.openshift.io/v1', namespace: '', governed: true },
      ...{ workloadCluster: 'keel', createdAt: new Date(), held: own ? null : 'Waiting for approval in Drydock.' },
      ...(own ? { paused: true, ownPause: { annotation: false, spec: true, guarded: true } } : {}),
    },
  })
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: POOL, namespace: '', groupName: name, workloadCluster: 'keel' },
      ...{ fingerprint: 'f', summary: '3 files', resourceVersion: '1', machines: 2, state: 'waiting', heldBy: 'latch' },
      ...{ changeSet: { pairs: [], fields: [] }, dueMode: due ? 'in-place' : null },
      outlook: { only: 'in-place', inPlace: outcome, replace: outcome, uncovered: [] },
    },
  })
  if (due)
    await db().approval.create({
      data: { changeId: change.id, fingerprint: 'f', mode: 'in-place', actorId: 'ada', actorName: 'Ada' },
    })
  return id
}

test('a pool whose configuration is approved, and waits for its window, asks nobody for anything', async () => {
  const { id } = await db().managementCluster.create({ data: { name: 'keel', server: '' } })
  const asked = await held(id, 'gpu')
  const own = await held(id, 'infra', { own: true })
  const due = await held(id, 'worker', { due: true })
  const both = await held(id, 'storage', { own: true, due: true })
  await savePolicy(cy, { name: 'nights', spec: { select: { kinds: [POOL] }, ...CLOSED } })
  const of = async (poolId: string) => {
    const { hold, certificateWarning } = await getPool(ada, { id: poolId })
    return { hold, certificateWarning }
  }
  expect(await of(asked)).toMatchObject({ hold: { held: true, change: { asks: true, goesByItself: false } } })
  expect((await of(asked)).certificateWarning).toContain(
    'approve its configuration, or have what it brings written back, well before that day',
  )
  const waits = { asks: false, goesByItself: true, standing: { due: true, timing: { why: 'window' } } }
  expect(await of(due)).toMatchObject({ hold: { held: true, change: waits } })
  expect((await of(due)).certificateWarning).toContain('its configuration is approved, and has to go')
  // Approving brings nothing to a pool that somebody keeps paused.
  expect(await of(own)).toMatchObject({ hold: { held: false, kept: true } })
  expect((await of(own)).certificateWarning).toContain('approve its configuration and resume the pool well before')
  expect(await of(both)).toMatchObject({ hold: { held: false, kept: true, change: waits } })
  expect((await of(both)).certificateWarning).toContain('has to be let go by its policies, and the pool resumed after')
  const { pools } = await listPools(ada, {})
  expect(Object.fromEntries(pools.map(({ name, change }) => [name, change?.asks]))).toEqual({
    gpu: true,
    infra: true,
    storage: false,
    worker: false,
  })
  const refused = async (poolId: string, name: string) =>
    ((await requireNotHeld(id, poolId, name).catch((error: unknown) => error)) as Error).message
  expect(await refused(own, 'infra')).toMatch(
    /^A configuration of infra waits for approval \(.*: resuming would let it go/,
  )
  expect(await refused(both, 'storage')).toMatch(/^A configuration of storage is approved and waits until its policies/)
})

test('held before the latch of its cluster was removed, a pool is unguarded, and names the nodes that began unapproved', async () => {
  const id = await watched('gulf')
  const poolId = await held(id, 'worker')
  const of = async () => (await getPool(ada, { id: poolId })).hold
  expect(await of()).toMatchObject({ held: true, unguarded: false, begunUnapproved: [] })
  expect((await of()).strength).toContain('held by pausing')
  const { id: changeId } = await db().change.findFirstOrThrow({ where: { groupId: poolId } })
  for (const nodes of ['gulf-b, gulf-a', 'gulf-c'])
    await recordAudit(db(), systemCtx('planner'), {
      ...{ action: MOVED_UNAPPROVED, target: { kind: POOL, id: changeId, name: 'worker' }, details: { nodes } },
    })
  await db().managementCluster.update({ where: { id }, data: { latchForm: 'none' } })
  expect(await of()).toMatchObject({ unguarded: true, begunUnapproved: ['gulf-a', 'gulf-b', 'gulf-c'] })
  expect((await of()).strength).toBe(
    'not held from now on; the one that waits is held by the pause that stands from before',
  )
})

test('held below somebody’s own pause since before nobody governs it, what waits is not said to be unheld', async () => {
  const id = await watched('reef')
  const poolId = await held(id, 'worker', { own: true })
  await db().group.update({ where: { id: poolId }, data: { governed: false } })
  const { hold } = await getPool(ada, { id: poolId })
  expect(hold).toMatchObject({ kept: true, change: { asks: true } })
  expect(hold.strength).toMatch(/^not held from now on; the one that waits is held by the pause/)
})

test('a change that waits for nothing but a node to be available again names it', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'mast', server: '' } })
  const poolId = await held(clusterId, 'worker')
  const config = { currentConfig: 'rendered-b', desiredConfig: 'rendered-b' }
  await db().configPool.update({ where: { id: poolId }, data: { ...config, paused: false, state: 'updating' } })
  await db().change.updateMany({
    where: { groupId: poolId },
    data: { state: 'running', heldBy: 'none', outlook: { pool: { config: 'rendered-b' } } },
  })
  const node = { clusterId, pool: 'worker', phase: 'updated', ...config }
  await db().configNode.create({ data: { ...node, id: randomUUID(), name: 'a' } })
  expect((await getPool(ada, { id: poolId })).hold.change).toMatchObject({ awaited: null })
  const says = 'Up to date. It is not Ready.'
  await db().configNode.create({ data: { ...node, id: randomUUID(), name: 'b', unavailable: true, sentence: says } })
  expect((await getPool(ada, { id: poolId })).hold.change).toMatchObject({ awaited: { names: ['b'] } })
})

test('a pool that Drydock may not pause, or could not, is not called held by pausing', async () => {
  const [resource, ...group] = POOLS.split('.')
  const lacks = { verb: 'patch', group: group.join('.'), resource, part: 'openshift-write', why: '' }
  const discovery = { resources: { [POOLS]: 'v1' }, missingPermissions: [lacks] }
  const clusterId = await watched('mole', discovery)
  const poolId = await held(clusterId, 'worker')
  const strength = async () => (await getPool(ada, { id: poolId })).hold.strength
  expect(await strength()).toMatch(/^not held from now on; the one that waits is held by the pause/)
  await db().group.update({ where: { id: poolId }, data: { held: null } })
  expect(await strength()).toBe('not held: Drydock may not patch pools in this cluster, and pauses none')
  // Nor can anybody pause it from here.
  const refused = 'Drydock may not change machineconfigpools.machineconfiguration.openshift.io in this cluster'
  expect((await getPool(ada, { id: poolId })).cannotWrite).toContain(refused)
  // Nor let go.
  const { id } = await db().change.findFirstOrThrow({ where: { groupId: poolId } })
  expect((await getUpdate(ada, id)).cannotWrite).toContain(refused)
  await db().group.update({ where: { id: poolId }, data: { watchTrouble: 'pools are forbidden.' } })
  expect(await strength()).toBe('not held now: Drydock could not pause it when it saw it changed (pools are forbidden)')
  await db().managementCluster.update({ where: { id: clusterId }, data: { discovery: {} } })
  expect((await getPool(ada, { id: poolId })).cannotWrite).toBeNull()
  expect((await getUpdate(ada, id)).cannotWrite).toBeNull()
  expect(await strength()).toMatch(/^not held now/)
  await db().group.update({ where: { id: poolId }, data: { watchTrouble: null } })
  expect(await strength()).toMatch(/^held by pausing/)
})

test('a pool that is held by pausing is said to be held by nothing while nobody watches', async () => {
  const clusterId = await watched('lugger')
  const [waits, free] = [await held(clusterId, 'gpu'), await held(clusterId, 'worker')]
  await db().group.update({ where: { id: free }, data: { held: null } })
  const strength = async (id = free) => (await getPool(ada, { id })).hold.strength
  expect(await strength()).toMatch(/^held by pausing/)
  const refused = { clusterId, resource: POOLS, state: 'stopped', message: 'pools is forbidden' }
  await db().stream.create({ data: refused })
  const why = `not held now: the watch of its groups is down (${POOLS}: pools is forbidden)`
  expect(await strength()).toBe(why)
  expect(await strength(waits)).toBe(`${why}; the one that waits is held by the pause that stands from before`)
  await db().stream.updateMany({ where: { clusterId }, data: { state: 'watching' } })
  expect(await strength()).toMatch(/^held by pausing/)
  await db().clusterLease.update({ where: { clusterId }, data: { until: new Date(0) } })
  expect(await strength()).toBe('not held now: no worker of Drydock follows this cluster')
})

test('so is one that is only paused until the API server latches it', async () => {
  const clusterId = await watched('brig', { resources: { [POOLS]: 'v1' } })
  const latchStatus = { state: 'missing', message: '', findings: [], proved: false }
  await db().managementCluster.update({
    where: { id: clusterId },
    data: { latchForm: 'webhook', latchStatus, policy: { create: { governs: 'all', pools: 'same-write' } } },
  })
  const id = await held(clusterId, 'worker')
  await db().group.update({ where: { id }, data: { held: null } })
  const strength = async () => (await getPool(ada, { id })).hold.strength
  expect(await strength()).toMatch(/^held by pausing/)
  await db().managementCluster.update({ where: { id: clusterId }, data: { state: 'unreachable' } })
  expect(await strength()).toBe('not held now: Drydock is not connected to its API server')
})

test('a pool beside a latch is not called held by pausing before Drydock has begun to watch', async () => {
  const clusterId = await watched('skiff', { resources: { [POOLS]: 'v1' } })
  const poolId = await held(clusterId, 'worker')
  await db().group.update({ where: { id: poolId }, data: { held: null } })
  const cluster = (data: object) => db().managementCluster.update({ where: { id: clusterId }, data })
  const told = async () => {
    const coming = await comingHold(await db().configPool.findUniqueOrThrow({ where: { id: poolId } }))
    return [(await getPool(ada, { id: poolId })).hold.strength, coming]
  }
  await cluster({ latchForm: 'webhook', watchSince: null })
  const words = 'not held now: Drydock does not watch its pools yet'
  expect(await told()).toEqual([words, { waits: false, words, images: null, trouble: null }])
  await cluster({ watchSince: new Date() })
  const pausing = expect.stringMatching(/^held by pausing/) as string
  expect(await told()).toMatchObject([pausing, { waits: true, words: pausing }])
})

test('what comes next is promised to wait nowhere where nobody knows whether its pool is latched now', async () => {
  const clusterId = await watched('brigantine', { resources: { [POOLS]: 'v1' } })
  const poolId = await held(clusterId, 'worker')
  const latchStatus = { state: 'unknown', message: '', findings: [], proved: null }
  await db().managementCluster.update({
    where: { id: clusterId },
    data: {
      latchForm: 'webhook',
      watchSince: null,
      latchStatus,
      policy: { create: { governs: 'all', pools: 'same-write' } },
    },
  })
  const coming = await comingHold(await db().configPool.findUniqueOrThrow({ where: { id: poolId } }))
  const words = 'to be latched in the same write; whether it is so now is not known'
  expect(coming).toMatchObject({ waits: null, words })
})

test('a pool says what its cluster’s page says of what is to latch it and does not, or refuses', async () => {
  const clusterId = await watched('pinnace', { resources: { [POOLS]: 'v1' } })
  const poolId = await held(clusterId, 'worker')
  await db().configPool.update({ where: { id: poolId }, data: { imageMode: 'none' } })
  const cluster = (data: object) => db().managementCluster.update({ where: { id: clusterId }, data })
  await cluster({ latchForm: 'webhook', watchSince: null, policy: { create: { governs: 'all', pools: 'same-write' } } })
  const told = async (state: string, message: string, pools?: string) => {
    const parts = pools && { clusterApi: { state: 'intact', message: 'Fine.' }, pools: { state: pools, message } }
    await cluster({ latchStatus: { state, message, findings: [], proved: null, ...(parts ? { parts } : {}) } })
    const { hold } = await getPool(ada, { id: poolId })
    const row = await db().configPool.findUniqueOrThrow({ where: { id: poolId } })
    return [hold.strength, (await comingHold(row))?.trouble]
  }
  const fine = 'latched in the same write'
  expect(await told('intact', 'It is in place.')).toEqual([fine, null])
  const down = 'The API server cannot reach the latch’s webhook.'
  expect(await told('unreachable', down)).toEqual([`${fine}. ${down}`, down])
  // What is of Cluster API's groups beside it is not said of a pool.
  expect(await told('missing', 'Pools: It is in place.', 'intact')).toEqual([fine, null])
  expect(await told('unreachable', `Pools: ${down}`, 'unreachable')).toEqual([`${fine}. ${down}`, down])
  const through = 'A trial write was not held.'
  expect(await told('ineffective', through)).toEqual([
    expect.stringMatching(/^not held now: .*\. A trial write/),
    through,
  ])
  // Nobody follows it: whether its webhook is answered is not known.
  await db().clusterLease.update({ where: { clusterId }, data: { until: new Date(0) } })
  const [strength, trouble] = await told('intact', 'It is in place.')
  expect(strength).toMatch(/^latched in the same write\. No worker of Drydock follows this cluster/)
  expect(trouble).toMatch(/^No worker of Drydock follows/)
})

test('OS images that are built for a latched pool are not called held while no worker runs', async () => {
  const clusterId = await watched('sloop', { resources: { [POOLS]: 'v1' } })
  const id = await held(clusterId, 'worker')
  await db().group.update({ where: { id }, data: { held: null } })
  await db().configPool.update({ where: { id }, data: { imageMode: 'built' } })
  const latchStatus = { state: 'installed', message: '', findings: [], proved: true }
  const policy = { create: { governs: 'all', pools: 'same-write' } }
  const data = { latchForm: 'webhook', watchSince: null, latchStatus, policy }
  await db().managementCluster.update({ where: { id: clusterId }, data })
  const strength = async () => (await getPool(ada, { id })).hold.strength
  expect(await strength()).toContain('OS images that are built for it are held by pausing, whatever the latch')
  await db().clusterLease.update({ where: { clusterId }, data: { until: new Date(0) } })
  expect(await strength()).toContain('are held by pausing, and so not now: no worker of Drydock follows this cluster;')
})
