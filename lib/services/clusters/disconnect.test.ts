import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK, RELEASE } from '@/lib/domain/latch/names'
import { ALL_THE_SAME } from '@/lib/domain/disconnect'
import { KubeUnreachable, type KubeClient, type KubeError } from '@/lib/kubernetes/types'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { copied, expectForgotten } from '@/testenv/forgotten'
import { heldChange, MD, type Held } from '@/testenv/held'
import { applyLatch } from '@/testenv/latch'
import { startGate, type Gate } from '@/worker/gate'
import { ROLES, type Ctx, type Role } from '../context'
import type { ServiceError } from '../errors'
import { getUpdate } from '../fleet/list-updates'
import { registerGate } from '../gate/register-gate'
import { addCluster } from './add-cluster'
import { closeClients, kubeClientFor } from './connection'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'
import { recoverDisconnects } from './recover-disconnect'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u', name: 'Ada', role } })
const admin = as('admin')
const EXTENSIONS = { group: 'runtime.cluster.x-k8s.io', version: 'v1beta2', plural: 'extensionconfigs' }

let cluster: SandboxTestCluster
let gate: Gate
let clusterId: string
let held: Held
/** Not governed: only the gate's answers hold it. */
let loose: { namespace: string; name: string }

// Keys and the gate's certificate of this file alone.
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  clusterId = (await addCluster(admin, { name: 'harbour', kubeconfig: cluster.kubeconfig })).clusterId
  await applyLatch(cluster.admin)
  await registerGate(admin, { clusterId, url: gate.url })
  held = await heldChange(cluster, clusterId)
  const namespace = await cluster.namespace()
  const made = await cluster.workloadCluster({
    ...{ namespace, name: 'loose', version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 1 } },
  })
  loose = { namespace, name: made.machineDeployment }
})
afterAll(async () => {
  await closeClients()
  await gate?.stop()
  await cluster?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )
const confirm = { confirm: 'harbour' }
const bumpLoose = (version: string) =>
  cluster.admin.patch(MD, loose.name, loose.namespace, 'merge', { spec: { template: { spec: { version } } } })
const registered = () =>
  cluster.admin.get(EXTENSIONS, 'drydock').then(
    () => true,
    (error: KubeError) => (error.code === 404 ? false : Promise.reject(error)),
  )
const audited = async () =>
  (
    await db().auditEvent.findMany({ where: { action: { startsWith: 'cluster.disconnect' } }, orderBy: { id: 'asc' } })
  ).map((e) => `${e.action} ${e.result}`)
const expectUntouched = async () => {
  expect(await registered()).toBe(true)
  expect(await db().clusterCredential.count()).toBe(1)
  const { state } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  expect(state).not.toBe('disconnected')
}

test.each(ROLES.filter((role) => role !== 'admin'))('is not for a %s', async (role) => {
  expect((await failure(planDisconnect(as(role), { clusterId }))).code).toBe('forbidden')
  expect((await failure(disconnectCluster(as(role), { clusterId, ...confirm }))).code).toBe('forbidden')
})

test('says which waves go on waiting for what is not through here', async () => {
  const policyId = randomUUID()
  const place = { policyId, version: 1, name: 'canary', index: 0, of: 2, state: 'open', why: null, opens: null }
  const words = () => planDisconnect(admin, { clusterId }).then(({ sentences }) => sentences.join(' '))
  expect(await words()).not.toContain('In a wave')
  const before = await db().change.findUniqueOrThrow({ where: { id: held.change.id }, select: { wish: true } })
  await db().change.update({ where: { id: held.change.id }, data: { wave: place, wish: 'version v1.34.1' } })
  expect(await words()).not.toContain('In a wave')
  const spec = { select: { names: [held.name] }, waves: [{ name: 'canary' }] }
  await db().rolloutPolicy.create({ data: { id: policyId, name: 'waves', spec } })
  expect(await words()).toContain(
    `In a wave, and not through: ${held.namespace}/${held.name} (canary). What waits for that`,
  )
  await db().change.update({ where: { id: held.change.id }, data: { ...before, wave: Prisma.DbNull } })
  await db().rolloutPolicy.delete({ where: { id: policyId } })
})

test('wants the name of the cluster', async () => {
  const refused = await failure(disconnectCluster(admin, { clusterId, confirm: 'Harbour' }))
  expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'confirm' }] } })
  await expectUntouched()
})

test('says what stays held, and refuses while only the gate holds something, also what no row knows of', async () => {
  const group = `MachineDeployment ${held.namespace}/${held.name}`
  expect(await planDisconnect(admin, { clusterId })).toMatchObject({
    ...{ name: 'harbour', registered: true, staysHeld: [group], wouldMove: [] },
  })
  const digest = rolloutDigest({ ...(await bumpLoose('v1.34.1')), kind: 'MachineDeployment' })!
  expect(await db().change.count({ where: { groupName: loose.name } })).toBe(0)
  const plan = await planDisconnect(admin, { clusterId })
  expect(plan.wouldMove).toEqual([
    {
      group: `MachineDeployment ${loose.namespace}/${loose.name}`,
      why: 'Only the gate’s answers hold it: without them its machines are replaced.',
      digest,
    },
  ])
  expect((await failure(disconnectCluster(admin, { clusterId, ...confirm }))).code).toBe('conflict')
  await expectUntouched()
  expect(await audited()).toEqual([])
  await bumpLoose('v1.34.0')
})

test('of what is held, names machines that would stay half-way, and whose remediation is no more skipped', async () => {
  const machine = {
    ...{ clusterId, provider: 'cluster.x-k8s.io', namespace: 'n', workloadCluster: 'w', phase: 'Updating' },
    ...{ state: 'updating', sentence: '', resourceVersion: '1', createdAt: new Date(), updating: true },
  }
  const made = await db().machine.create({
    data: { ...machine, id: randomUUID(), name: 'm-1', skipMark: 'drydock' },
  })
  const { halfWay, sentences } = await planDisconnect(admin, { clusterId })
  expect(halfWay).toEqual([
    expect.stringContaining('In the middle of an update in place: n/m-1. Nobody goes on with it') as string,
    expect.stringContaining('Remediation is skipped by Drydock for n/m-1: that is taken back') as string,
  ])
  await db().machine.delete({ where: { id: made.id } })
  expect((await planDisconnect(admin, { clusterId })).halfWay).toEqual([])

  // Of the latch what is so: here none was installed through Drydock.
  expect(sentences.at(-1)).toBe('No latch was installed from here: nothing new is held.')
  const form = async (latchForm: string) => {
    await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm } })
    return (await planDisconnect(admin, { clusterId })).sentences.join(' ')
  }
  const select = { clusters: ['harbour'] }
  await db().rolloutPolicy.create({ data: { name: 'night', spec: { select } } })
  expect(await form('none')).toContain('The policy night selects it by its name')
  await db().rolloutPolicy.deleteMany()
  const waves = [{ name: 'canary', select }, { name: 'others' }]
  await db().rolloutPolicy.create({ data: { name: 'all', spec: { select: {}, waves } } })
  expect(await form('none')).toContain('The policy all names it in its waves')
  await db().rolloutPolicy.deleteMany()
  expect(await form('policy')).toMatch(
    /only the break-glass group can release it then.*The latch stays installed until it is removed\./,
  )
  expect(await form('webhook')).toMatch(
    /only the break-glass group can release it then.*while this Drydock’s gate answers, .* held by it still.*Remove the latch first/,
  )
  expect(await form('watch')).toMatch(
    /anybody who may edit it can take that away then.*that ends, and nothing new is held/,
  )
  await form('none')
})

test('refuses where only somebody’s own pause keeps something: taking that away would move it, and nobody is asked', async () => {
  const pause = (value: string | null) =>
    cluster.admin.patch(MD, loose.name, loose.namespace, 'merge', { metadata: { annotations: { [PAUSED]: value } } })
  const { metadata } = await pause('night')
  const digest = rolloutDigest({ ...(await bumpLoose('v1.34.1')), kind: 'MachineDeployment' })!
  const group = `MachineDeployment ${loose.namespace}/${loose.name}`
  const moves = async () => (await planDisconnect(admin, { clusterId })).wouldMove
  expect(await moves()).toEqual([{ group, digest, why: expect.stringContaining('Somebody paused it, and') as string }])

  const { resourceVersion, uid } = metadata
  const { id } = await db().change.create({
    data: {
      ...{ clusterId, groupId: uid, groupKind: 'MachineDeployment', namespace: loose.namespace, groupName: loose.name },
      ...{ workloadCluster: 'loose', fingerprint: 'f', state: 'running', summary: '', changeSet: {}, outlook: {} },
      ...{ digest, heldBy: 'gate', resourceVersion, machines: 1 },
    },
  })
  // Nobody knows that it replaces anyway: it may be the gate that holds what is left.
  expect(await moves()).toEqual([
    { group, digest, why: expect.stringContaining('in the middle of its update') as string },
  ])
  expect((await failure(disconnectCluster(admin, { clusterId, ...confirm }))).code).toBe('conflict')
  await expectUntouched()

  // Replacing already, it goes on whoever disconnects.
  const step = { changeId: id, machineId: randomUUID(), machineName: 'm', startedAt: new Date() }
  await db().machineProgress.create({ data: { ...step, state: 'deleting' } })
  expect(await planDisconnect(admin, { clusterId })).toMatchObject({ wouldMove: [], goesOn: [group] })
  await db().machineProgress.updateMany({ data: { state: 'updating' } })
  expect(await moves()).toEqual([{ group, digest, why: expect.stringContaining('update in place: once') as string }])

  // Held as well, it stays where it is.
  // The guard lets few take it away.
  const client = await kubeClientFor(clusterId)
  const hold = (value: string | null) =>
    client.patch(MD, loose.name, loose.namespace, 'merge', { metadata: { annotations: { [HELD]: value } } })
  await hold('x')
  expect(await planDisconnect(admin, { clusterId })).toMatchObject({
    ...{ wouldMove: [], staysHeld: expect.arrayContaining([group]) as string[] },
  })
  await hold(null)
  await db().change.delete({ where: { id } })
  await bumpLoose('v1.34.0')
  await pause(null)
})

test('refuses while a decision is being applied', async () => {
  const { id } = await db().decision.create({
    data: {
      ...{ changeId: held.change.id, fingerprint: held.change.fingerprint, mode: 'replace', state: 'applying' },
      ...{ actorId: 'a', actorName: 'Ada' },
    },
  })
  const refused = await failure(disconnectCluster(admin, { clusterId, ...confirm }))
  expect(refused).toMatchObject({ code: 'conflict', message: 'A decision is being applied right now.' })
  await expectUntouched()
  await db().decision.delete({ where: { id } })
})

test('asks once more after it was recorded: what began to move meanwhile stops it, and it is connected as before', async () => {
  const client = await kubeClientFor(clusterId)
  const list: KubeClient['list'] = client.list
  let plans = 0
  client.list = async (resource, ...rest) => {
    if (resource.plural === MD.plural && ++plans === 2) await bumpLoose('v1.34.2')
    return list(resource, ...rest)
  }
  const refused = await failure(disconnectCluster(admin, { clusterId, ...confirm }))
  client.list = list
  expect(refused.code).toBe('conflict')
  expect(await audited()).toEqual(['cluster.disconnect ok', 'cluster.disconnected failed'])
  await expectUntouched()
  await bumpLoose('v1.34.0')
})

test('a refusal of the API server is kept verbatim, and nothing has changed', async () => {
  const client = await kubeClientFor(clusterId)
  const remove: KubeClient['delete'] = client.delete
  client.delete = async (resource, ...rest) => {
    cluster.sandbox.faults.fail(503)
    try {
      return await remove(resource, ...rest)
    } finally {
      cluster.sandbox.faults.fail(0)
    }
  }
  const refused = await failure(disconnectCluster(admin, { clusterId, ...confirm }))
  client.delete = remove
  expect(refused).toMatchObject({ code: 'refused', more: { answer: expect.any(String) as string } })
  const last = await db().auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })
  expect(last).toMatchObject({ action: 'cluster.disconnected', result: 'refused' })
  expect(last.answer).toContain(refused.more.answer)
  expect(last.answer).toContain('the registration is guarded again')
  const kept = await cluster.admin.get(EXTENSIONS, 'drydock')
  expect(kept.metadata.annotations ?? {}).not.toHaveProperty([RELEASE])
  await expectUntouched()
})

test('while it is being disconnected nobody registers the gate', async () => {
  const { state } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  await db().managementCluster.update({ where: { id: clusterId }, data: { state: 'disconnected' } })
  const before = await db().auditEvent.count()
  const refused = await failure(registerGate(admin, { clusterId, url: gate.url }))
  expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('is disconnected') as string })
  expect(await db().auditEvent.count()).toBe(before)
  await db().managementCluster.update({ where: { id: clusterId }, data: { state } })
})

test('one that was cut short is connected again after a while, guarded, and on record', async () => {
  await db().managementCluster.update({ where: { id: clusterId }, data: { state: 'disconnected' } })
  const mark = { metadata: { annotations: { [RELEASE]: 'disconnected in Drydock' } } }
  await cluster.admin.patch(EXTENSIONS, 'drydock', undefined, 'merge', mark)
  expect(await recoverDisconnects(3_600_000)).toEqual([])
  expect(await recoverDisconnects(0)).toEqual(['harbour'])
  await expectUntouched()
  expect((await cluster.admin.get(EXTENSIONS, 'drydock')).metadata.annotations ?? {}).not.toHaveProperty([RELEASE])
  const last = await db().auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })
  expect(last).toMatchObject({ action: 'cluster.disconnected', result: 'failed', actorKind: 'system' })
  expect(await recoverDisconnects(0)).toEqual([])
})

test('an administrator may disconnect all the same, named and on record, and only what was named', async () => {
  await bumpLoose('v1.34.1')
  const group = `MachineDeployment ${loose.namespace}/${loose.name}`
  const { wouldMove: moves } = await planDisconnect(admin, { clusterId })
  expect(moves).toMatchObject([{ group }])
  const tried = (more: object) => failure(disconnectCluster(admin, { clusterId, ...confirm, ...more }))
  for (const more of [
    { allTheSame: 'yes', moves },
    { allTheSame: ALL_THE_SAME, moves: [{ ...moves[0], group: 'other' }] },
    { moves },
  ])
    expect(await tried(more)).toMatchObject({
      code: 'conflict',
      more: { hint: expect.stringContaining(ALL_THE_SAME) as string },
    })
  await expectUntouched()

  // It gets as far as the API server then.
  const client = await kubeClientFor(clusterId)
  const remove: KubeClient['delete'] = client.delete
  client.delete = () => Promise.reject(new KubeUnreachable('not now', 'DELETE'))
  await tried({ allTheSame: ALL_THE_SAME, moves })
  client.delete = remove
  const begun = await db().auditEvent.findFirstOrThrow({
    where: { action: 'cluster.disconnect' },
    orderBy: { id: 'desc' },
  })
  expect(begun).toMatchObject({ actorName: 'Ada', details: { moves: [group] } })
  await expectUntouched()
  await bumpLoose('v1.34.0')
})

test('leaves what is held held, then lets the registration and the credentials go', async () => {
  await copied(clusterId)
  const decision = await db().decision.create({
    data: {
      ...{ changeId: held.change.id, fingerprint: held.change.fingerprint, mode: 'replace', state: 'failed' },
      ...{ actorId: 'a', actorName: 'Ada' },
    },
  })
  // Whoever registers meanwhile waits, and is refused: what was written now would stay behind and hold for ever.
  const client = await kubeClientFor(clusterId)
  const remove: KubeClient['delete'] = client.delete
  let registering: Promise<ServiceError> | undefined
  client.delete = async (resource, ...rest) => {
    // Its manager writes it in between: it is deleted all the same.
    const annotations = { 'example.com/seen': 'now' }
    if (!registering)
      await cluster.admin.patch(EXTENSIONS, 'drydock', undefined, 'merge', { metadata: { annotations } })
    registering ??= failure(registerGate(admin, { clusterId, url: gate.url }))
    return remove(resource, ...rest)
  }
  const plan = await disconnectCluster(admin, { clusterId, ...confirm })
  expect(await registering).toMatchObject({ code: expect.stringMatching(/conflict|not-found/) as string })
  expect(plan.staysHeld).toHaveLength(1)
  expect(await registered()).toBe(false)
  const { annotations } = (await held.read()).metadata
  expect(annotations).toMatchObject({ [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: expect.any(String) as string })
  expect(await db().clusterCredential.count()).toBe(0)
  expect(await db().managementCluster.findUnique({ where: { id: clusterId } })).toMatchObject({
    ...{ state: 'disconnected', stateMessage: 'Disconnected by Ada.', gateState: 'unregistered' },
    ...{ gateStatus: null, latchStatus: null },
  })
  expect((await audited()).slice(-2)).toEqual(['cluster.disconnect ok', 'cluster.disconnected ok'])
  await expectForgotten(clusterId)
  const { id } = held.change
  const change = await db().change.findUniqueOrThrow({ where: { id }, include: { decisions: true } })
  expect(change).toMatchObject({ state: 'superseded', finishedAt: expect.any(Date) as Date })
  expect(await getUpdate(admin, id)).toMatchObject({
    ...{ ended: 'disconnected', place: 'disconnected', stillHeld: true },
  })
  expect(change.decisions).toMatchObject([{ id: decision.id, state: 'voided', actorName: 'Ada' }])
  expect(await recoverDisconnects(0)).toEqual([])
  expect((await failure(disconnectCluster(admin, { clusterId, ...confirm }))).code).toBe('not-found')
})
