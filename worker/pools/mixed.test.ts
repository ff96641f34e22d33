import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftAccess } from '@/lib/domain/access/openshift'
import type { Capabilities } from '@/lib/domain/capabilities'
import { POOL } from '@/lib/domain/latch/hold'
import { HELD, SEEN_STORED } from '@/lib/domain/latch/names'
import { closeClients } from '@/lib/services/clusters/connection'
import { getCluster } from '@/lib/services/clusters/get-cluster'
import { systemCtx } from '@/lib/services/context'
import { checkLatch } from '@/lib/services/latch/check-latch'
import { formOf, poolsHeldNow } from '@/lib/services/latch/held-by'
import { installLatch } from '@/lib/services/latch/install-latch'
import { previewLatch } from '@/lib/services/latch/preview-latch'
import { removeLatch } from '@/lib/services/latch/remove-latch'
import { repairLatch } from '@/lib/services/latch/repair-latch'
import { setGovernance } from '@/lib/services/latch/set-governance'
import type { LatchStatus } from '@/lib/services/latch/status'
import { as, failure } from '@/testenv/deciding'
import { follow, GovernedPools, until } from '@/testenv/governed-pools'
import { startGate, type Gate } from '../gate'
import type { Worker } from '../worker'

// A management cluster of Cluster API that is an OpenShift cluster itself: the latch of pools is a part of its own.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const [admin, keeper] = [as('admin'), systemCtx('latch-keeper')]
const WEBHOOKS = 'mutatingwebhookconfigurations.admissionregistration.k8s.io'
const OF_CLUSTER_API = ['drydock-kubeadmcontrolplanes', 'drydock-machinedeployments']
const OF_POOLS = 'drydock-machineconfigpools'
const ROLES = ['cluster-api', 'latch', 'gate', 'openshift', 'openshift-write'] as const
let gate: Gate
let at: GovernedPools
let poor: GovernedPools
let worker: Worker | null = null

beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  at = await GovernedPools.start('mole', 60, [...ROLES, 'openshift-latch'])
  poor = await GovernedPools.start('quay', 60, [...ROLES])
})
afterAll(async () => {
  await worker?.stop()
  await gate?.stop()
  await closeClients()
  for (const one of [at, poor]) await one?.stop()
})
afterEach(() => db().rolloutPolicy.deleteMany({}))

const webhooks = (one: GovernedPools) =>
  one.server.store
    .list(WEBHOOKS)
    .map(({ metadata }) => metadata.name)
    .sort()
const asked = (one: GovernedPools) => ({ clusterId: one.clusterId, governs: 'all', webhookUrl: `${gate.url}/latch` })
const row = (one: GovernedPools) => db().managementCluster.findUniqueOrThrow({ where: { id: one.clusterId } })
const withPolicy = (one: GovernedPools) =>
  db().managementCluster.findUniqueOrThrow({ where: { id: one.clusterId }, include: { policy: true } })
const audits = (one: GovernedPools) =>
  db().auditEvent.count({ where: { targetId: one.clusterId, action: { startsWith: 'latch.' } } })
const shown = async (one: GovernedPools) =>
  (await getCluster(admin, { clusterId: one.clusterId })).latch.status as unknown as LatchStatus
const deleteWebhook = (one: GovernedPools, name: string) => one.server.store.delete(WEBHOOKS, name, BREAK_GLASS)
const SYSTEM = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl' }
/** Who else but Drydock may touch its webhooks. */
const BREAK_GLASS = { ...SYSTEM, groups: ['drydock:break-glass'] }

test('without the role for the latch of pools that of Cluster API is installed, and put back; the refusal is told once', async () => {
  const { clusterId } = poor
  const { status, answers } = await installLatch(admin, { ...asked(poor), pools: 'same-write' })
  expect(webhooks(poor)).toEqual(OF_CLUSTER_API)
  expect(answers.at(-1)).toMatch(/^Pools: .*drydock-guard-machineconfigpools.*forbidden/s)
  expect(status).toMatchObject({
    state: 'missing',
    message: expect.stringMatching(/Pools are not latched: .*forbidden.*watches and pauses/s) as string,
    parts: { clusterApi: { state: 'intact' }, pools: { state: 'missing' } },
  })
  // Meanwhile they are held by pausing.
  expect(await row(poor)).toMatchObject({ watchPoolsOnly: true, watchSince: expect.any(Date) as Date })

  await deleteWebhook(poor, OF_CLUSTER_API[0]!)
  const first = await repairLatch(keeper, { clusterId })
  expect(webhooks(poor)).toEqual(OF_CLUSTER_API)
  expect(first).toMatchObject({ state: 'missing', parts: { clusterApi: { state: 'intact' } } })
  await repairLatch(keeper, { clusterId })
  const before = await audits(poor)
  await repairLatch(keeper, { clusterId })
  expect(await audits(poor)).toBe(before)
  // What somebody else made under the name of pools keeps it from nothing, either.
  await poor.server.store.create(WEBHOOKS, foreign(), SYSTEM)
  await deleteWebhook(poor, OF_CLUSTER_API[1]!)
  const second = await repairLatch(keeper, { clusterId })
  expect(second.parts).toMatchObject({ clusterApi: { state: 'intact' }, pools: { state: 'not-ours' } })
  expect(webhooks(poor)).toEqual([OF_CLUSTER_API[0], OF_POOLS, OF_CLUSTER_API[1]])
})
const foreign = () => ({
  ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', webhooks: [] },
  metadata: { name: OF_POOLS, labels: { 'app.kubernetes.io/managed-by': 'somebody' } },
})

test('the connection check asks for that role where it was chosen, and says what does not work without it', async () => {
  const lacking = async (one: GovernedPools) => {
    const { discovery, discoveredAt } = await row(one)
    return { at: discoveredAt, words: openShiftAccess((discovery as unknown as Capabilities).missingPermissions) }
  }
  const [before, other] = [await lacking(poor), await lacking(at)]
  expect([before.words, other.words]).toEqual([[], []])
  const asking = await follow()
  await until('both to be asked', async () => {
    const now = [await lacking(poor), await lacking(at)]
    return now[0]!.at! > before.at! && now[1]!.at! > other.at!
  })
  await asking.stop()
  expect((await lacking(at)).words).toEqual([])
  expect((await lacking(poor)).words).toEqual([
    expect.stringContaining('The role for the latch of pools (deploy/rbac-openshift-latch.yaml) is granted in part'),
  ])
})

test('nobody gets the webhook of pools unasked: it is asked, and the default is to pause', async () => {
  const { clusterId } = at
  const preview = (pools?: string) => previewLatch(as('viewer'), { ...asked(at), ...(pools ? { pools } : {}) })
  const said = await preview()
  expect(said).toMatchObject({ form: 'webhook', pools: 'pausing', choices: ['pausing', 'same-write'] })
  expect(JSON.stringify(said.objects)).not.toContain('machineconfigpools')
  expect(said.strength.join(' ')).toMatch(/Held by pausing/)
  const latched = await preview('same-write')
  expect(latched.objects.map(({ name }) => name)).toContain(OF_POOLS)
  expect(latched.strength.join(' ')).toContain('the operator cannot give a governed pool any configuration')
  expect(await failure(preview('sometimes'))).toMatchObject({ code: 'invalid' })

  const { status } = await installLatch(admin, asked(at))
  expect(webhooks(at)).toEqual(OF_CLUSTER_API)
  expect(status).toMatchObject({ state: 'not-watching', parts: { clusterApi: { state: 'intact' } } })
  expect(await db().policy.findUnique({ where: { clusterId } })).toMatchObject({ pools: 'pausing' })
  worker = await follow()
  await at.governed(true)
  await until('it to be watched', async () => (await shown(at)).state === 'intact')
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ parts: { pools: { state: 'watching' } } })
  await at.render('rendered-worker-a')
  await at.waits('rendered-worker-a')
  expect(at.pool().metadata.annotations?.[HELD]).toBe(SEEN_STORED)
})

test('after an upgrade the keeper begins to watch pools, and latches none', async () => {
  const { clusterId } = at
  const before = { watchSince: null, watchPoolsOnly: false, watchFence: null }
  await db().managementCluster.update({ where: { id: clusterId }, data: before })
  expect(await checkLatch(admin, { clusterId })).toMatchObject({ parts: { pools: { state: 'missing' } } })
  expect(await repairLatch(keeper, { clusterId })).toMatchObject({ state: 'intact' })
  expect(webhooks(at)).toEqual(OF_CLUSTER_API)
  expect(await row(at)).toMatchObject({ watchPoolsOnly: true, latchForm: 'webhook' })
  expect(at.isHeld()).toBe(true)
})

test('to the same write: what is held stays held, and it is paused besides until a person ends that', async () => {
  const { clusterId } = at
  const { status } = await setGovernance(admin, { ...asked(at), pools: 'same-write' })
  expect(status).toMatchObject({ state: 'intact', watchesBeside: true, parts: { pools: { state: 'intact' } } })
  expect(webhooks(at)).toContain(OF_POOLS)
  expect(at.isHeld()).toBe(true)
  await at.render('rendered-worker-b')
  expect(at.pool().metadata.annotations?.[HELD]).toContain('to rendered-worker-b')
  expect(at.told('rendered-worker-b')).toEqual([])
  expect(await row(at)).toMatchObject({ watchPoolsOnly: true })
  // There is nothing that is not held, so nothing it could be tried on: that goes with an approval.
  await at.approve(await at.waits('rendered-worker-b'))
  await at.change('done')
  expect(await repairLatch(admin, { clusterId })).toMatchObject({ state: 'intact', watchesBeside: false })
  expect(await row(at)).toMatchObject({ watchSince: null, watchPoolsOnly: false })
  await at.render('rendered-worker-c')
  expect(at.isHeld()).toBe(true)
  expect(at.told('rendered-worker-c')).toEqual([])
})

test('latched before anybody could choose: the keeper takes it away never, and puts it back; a person who governs others keeps it', async () => {
  const { clusterId } = at
  // As a Drydock that latched pools with all the rest left it.
  await db().policy.update({ where: { clusterId }, data: { pools: null } })
  const kept = () =>
    db().auditEvent.count({ where: { targetId: clusterId, action: 'policy.changed', actorKind: 'system' } })
  const before = await audits(at)
  expect(await repairLatch(keeper, { clusterId })).toMatchObject({
    state: 'intact',
    parts: { pools: { state: 'intact' } },
  })
  expect(await audits(at)).toBe(before)
  expect(await row(at)).toMatchObject({ watchSince: null })
  // From then on that is its choice, so that pages say what holds them; once, and on record.
  expect(await db().policy.findUnique({ where: { clusterId } })).toMatchObject({ pools: 'same-write' })
  expect(poolsHeldNow(await withPolicy(at))).toBe('same-write')
  expect(formOf(POOL, await withPolicy(at))).toBe('webhook')
  expect(await kept()).toBe(1)
  await checkLatch(admin, { clusterId })
  expect(await kept()).toBe(1)
  // Nobody else may.
  await expect(at.server.store.merge(WEBHOOKS, OF_POOLS, { webhooks: [] }, SYSTEM)).rejects.toThrow('is forbidden')
  await at.server.store.merge(WEBHOOKS, OF_POOLS, { webhooks: [] }, BREAK_GLASS)
  expect(await repairLatch(keeper, { clusterId })).toMatchObject({ state: 'intact' })
  expect((at.server.store.get(WEBHOOKS, OF_POOLS) as { webhooks?: unknown[] } | undefined)?.webhooks).toHaveLength(1)
  const { status } = await setGovernance(admin, { ...asked(at), governs: 'object-label', labelKey: 'tier' })
  expect(status).toMatchObject({ parts: { pools: { state: 'intact' } } })
  expect(webhooks(at)).toContain(OF_POOLS)
  await setGovernance(admin, { ...asked(at), governs: 'all' })
  expect(at.isHeld()).toBe(true)
})

test('to pausing: what latches pools goes only when Drydock watches them, and what is held stays held', async () => {
  const { clusterId } = at
  await at.waits('rendered-worker-c')
  await worker?.stop()
  worker = null
  const { status } = await setGovernance(admin, { ...asked(at), pools: 'pausing' })
  expect(status).toMatchObject({
    state: 'changed',
    message: expect.stringContaining('goes when Drydock watches') as string,
    parts: { clusterApi: { state: 'intact' } },
  })
  expect(webhooks(at)).toContain(OF_POOLS)
  await at.render('rendered-worker-d')
  expect(at.isHeld()).toBe(true)
  expect(at.told('rendered-worker-d')).toEqual([])
  worker = await follow()
  await until('what latched pools to go', async () => {
    const { state } = await repairLatch(keeper, { clusterId })
    return state === 'intact'
  })
  expect(webhooks(at)).toEqual(OF_CLUSTER_API)
  expect(at.isHeld()).toBe(true)
  await at.approve(await at.waits('rendered-worker-d'))
  await at.change('done')
  await at.render('rendered-worker-e')
  await at.waits('rendered-worker-e')
  expect(at.pool().metadata.annotations?.[HELD]).toBe(SEEN_STORED)
})

test('pools that nobody watches are told as loudly as groups that nobody holds', async () => {
  await worker?.stop()
  worker = null
  const status = await shown(at)
  expect(status).toMatchObject({
    // Nobody answers the webhook of the other groups either.
    state: 'unreachable',
    message: expect.stringContaining('Nothing holds changes of governed pools now') as string,
    parts: { clusterApi: { state: 'unreachable' }, pools: { state: 'not-watching' } },
  })
})

test('removed, the choice goes with it', async () => {
  const { clusterId } = at
  await removeLatch(admin, { clusterId, held: ['MachineConfigPool worker'] }).catch(async (error: unknown) => {
    const { more } = error as { more: { fields: { message: string }[] } }
    await removeLatch(admin, { clusterId, held: more.fields.map(({ message }) => message) })
  })
  expect(await db().policy.findUnique({ where: { clusterId } })).toMatchObject({ pools: null, governs: 'none' })
  expect(await row(at)).toMatchObject({ latchForm: 'none', watchSince: null, watchPoolsOnly: false })
  expect(at.isHeld()).toBe(true)
})
