import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { workerConfig } from '@/lib/domain/changes/kubeadm'
import type { JsonObject } from '@/lib/domain/json'
import { keyedDigest } from '@/lib/seal'
import { systemCtx } from '@/lib/services/context'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { flushUpdaterCalls } from '@/lib/services/updaters/record'
import { fakeUpdater, type FakeUpdater } from '@/lib/services/updaters/testing'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { answerUpdate } from './answer-update'
import { makeAuthority, makeLeaf } from './certificates'

useTestDatabase()

const clusterId = randomUUID()
const groupId = randomUUID()
const machineId = randomUUID()
let caPem = ''
let kubelet: FakeUpdater
let os: FakeUpdater
let changeId = ''
const calls: string[] = []

beforeAll(async () => {
  process.env.DRYDOCK_KEY = randomBytes(32).toString('base64')
  const authority = await makeAuthority()
  caPem = authority.certPem
  const leaf = await makeLeaf(authority, ['127.0.0.1'])
  kubelet = await fakeUpdater(leaf)
  os = await fakeUpdater(leaf)
  await db().managementCluster.create({ data: { id: clusterId, name: 'm', server: 'https://127.0.0.1:1' } })
  const common = { clusterId, namespace: 'fleet', workloadCluster: 'c1', resourceVersion: '1', createdAt: new Date() }
  const kind = 'MachineDeployment'
  await db().group.create({
    data: { ...common, id: groupId, kind, apiVersion: 'cluster.x-k8s.io/v1beta2', name: 'md' },
  })
  const state = { phase: 'Running', state: 'updating', sentence: 's', provider: 'cluster.x-k8s.io' }
  await db().machine.create({
    data: { ...common, ...state, id: machineId, name: 'm1', groupKind: kind, groupName: 'md', updating: true },
  })
})
afterAll(async () => {
  await closeUpdaters()
  await flushUpdaterCalls()
  await Promise.all([kubelet?.stop(), os?.stop()])
})
beforeEach(async () => {
  await closeUpdaters()
  calls.length = 0
  // What is written behind the answers.
  await flushUpdaterCalls()
  await db().change.deleteMany({})
  await db().updater.deleteMany({})
  await add('kubelet-updater', kubelet, 0)
  await add('os-updater', os, 1)
  done(kubelet, 'kubelet')
  done(os, 'os')
  await approved([
    { object: 'machine', path: 'version', current: 'v1', desired: 'v2', coveredBy: 'kubelet-updater' },
    { object: 'bootstrap', path: 'ntp.enabled', desired: true, coveredBy: 'os-updater' },
  ])
})

const add = (name: string, { url }: FakeUpdater, position: number, groups?: Prisma.InputJsonObject) =>
  db().updater.create({ data: { name, url, caPem, position, ...(groups ? { groups } : {}) } })
const says = (fake: FakeUpdater, name: string, answer: JsonObject) => {
  fake.says.UpdateMachine = () => (calls.push(name), answer)
}
const done = (fake: FakeUpdater, name: string) => says(fake, name, { retryAfterSeconds: 0 })
const working = (fake: FakeUpdater, name: string) =>
  says(fake, name, { retryAfterSeconds: 5, message: `${name} works` })

async function approved(changes: object[], more = {}): Promise<void> {
  await db().change.deleteMany({})
  await alsoApproved(changes, more)
}

async function alsoApproved(changes: object[], more = {}): Promise<void> {
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId, groupKind: 'MachineDeployment', namespace: 'fleet', groupName: 'md' },
      ...{ workloadCluster: 'c1', fingerprint: 'a', state: 'running', summary: 's', outlook: {}, heldBy: 'gate' },
      ...{ resourceVersion: '1', machines: 1 },
      changeSet: { pairs: [{ from: 'a', machines: 1, fingerprint: 'a', changes }], fields: [] },
      decisions: { create: { fingerprint: 'a', mode: 'in-place', actorId: 'a', actorName: 'Ada', state: 'seen' } },
      ...more,
    },
  })
  changeId = change.id
}

/** Let go once, and held again since. */
const VOID = {
  ...{ fingerprint: 'a', mode: 'in-place', actorId: 'a', actorName: 'Ada', state: 'voided' },
  ...{ sentAt: new Date(), acceptedAt: new Date(), recordedAt: new Date(Date.now() - 60_000) },
}
/** In force; of the moment. */
const newer = () => ({ state: 'seen', recordedAt: new Date() })

function request(bootstrapConfig: JsonObject = { spec: { ntp: { enabled: true } } }): JsonObject {
  const labels = { 'cluster.x-k8s.io/deployment-name': 'md' }
  const machine = { metadata: { name: 'm1', namespace: 'fleet', labels }, spec: { version: 'v2' } }
  return { desired: { machine, bootstrapConfig } }
}

/** One question of Cluster API; what the gate says, or why it holds. */
async function ask(): Promise<string> {
  calls.length = 0
  try {
    const { response } = await answerUpdate(clusterId, request())
    return response.retryAfterSeconds === 0 ? 'done' : String(response.message)
  } catch (error) {
    return `held: ${(error as Error).message}`
  }
}
const pairsOf = async (id: string) =>
  ((await db().change.findUniqueOrThrow({ where: { id } })).changeSet as unknown as { pairs: Prisma.InputJsonArray })
    .pairs
const progress = () =>
  db().machineProgress.findUnique({
    where: { changeId_machineId: { changeId, machineId } },
    select: { state: true, updater: true, updatersDone: true },
  })

test('the next one begins when the one before has said that it is done; who is at work is on record', async () => {
  working(kubelet, 'kubelet')
  expect(await ask()).toBe('kubelet works')
  expect(calls).toEqual(['kubelet'])
  expect(await progress()).toEqual({ state: 'updating', updater: 'kubelet-updater', updatersDone: [] })
  done(kubelet, 'kubelet')
  working(os, 'os')
  expect(await ask()).toBe('os works')
  expect(calls).toEqual(['kubelet', 'os'])
  expect(await progress()).toEqual({ state: 'updating', updater: 'os-updater', updatersDone: ['kubelet-updater'] })
  done(os, 'os')
  expect(await ask()).toBe('done')
  expect(await progress()).toEqual({
    state: 'updating',
    updater: null,
    updatersDone: ['kubelet-updater', 'os-updater'],
  })
})

test.each([
  [{ 'in-place': 2, 'up-to-date': 1 }, 'in-place'],
  [{ 'in-place': 2, 'in-place-with-spare': 1 }, null],
  [{ 'in-place': 2, replace: 1 }, null],
])('of whom an updater is asked for first, in %o, is on record what was foretold', async (counts, predicted) => {
  await approved([], { outlook: { inPlace: { counts } } })
  // As it was kept while its group was held.
  await db().machineProgress.create({ data: { changeId, machineId, machineName: 'm1', state: 'waiting' } })
  working(kubelet, 'kubelet')
  working(os, 'os')
  await ask()
  const row = await db().machineProgress.findFirstOrThrow({ where: { changeId, machineId } })
  expect(row).toMatchObject({ state: 'updating', predicted, startedAt: expect.any(Date) as Date })
})

test('of several the record says which one is at work; of one alone that goes without saying', async () => {
  const recorded = async () => (await answerUpdate(clusterId, request())).record.message
  working(kubelet, 'kubelet')
  expect(await recorded()).toBe('kubelet-updater: kubelet works')
  done(kubelet, 'kubelet')
  says(os, 'os', { retryAfterSeconds: 5 })
  expect(await recorded()).toBe('kubelet-updater is done; os-updater: in progress')
  done(os, 'os')
  expect(await recorded()).toBe('kubelet-updater and os-updater are done')
  await approved([{ object: 'machine', path: 'version', current: 'v1', desired: 'v2', coveredBy: 'kubelet-updater' }])
  working(kubelet, 'kubelet')
  expect(await recorded()).toBe('kubelet works')
  done(kubelet, 'kubelet')
  expect(await recorded()).toBe('done')
})

test('after a restart in the middle it goes on with the right one, and waits for one that forgot what it had done', async () => {
  working(os, 'os')
  expect(await ask()).toBe('os works')
  // Nothing but Postgres is left of it.
  await closeUpdaters()
  expect((await progress())?.updater).toBe('os-updater')
  expect(await ask()).toBe('os works')
  expect(calls).toEqual(['kubelet', 'os'])
  working(kubelet, 'kubelet')
  expect(await ask()).toBe('kubelet works')
  expect(calls).toEqual(['kubelet'])
  expect(await progress()).toEqual({ state: 'updating', updater: 'kubelet-updater', updatersDone: [] })
})

test.each<[string, JsonObject, RegExp]>([
  ['says that it failed', { status: 'Failure', message: 'disk is full' }, /os-updater says: disk is full/],
  ['does not say when to ask again', { retryAfterSeconds: null }, /os-updater answered without retryAfterSeconds/],
  ['says a time that is none', { retryAfterSeconds: -1 }, /without retryAfterSeconds/],
  ['answers another question', { kind: 'DiscoveryResponse' }, /os-updater answered another question/],
])('where one %s it stops there and says who', async (_what, answer, sentence) => {
  says(os, 'os', answer)
  expect(await ask()).toMatch(sentence)
  expect(await progress()).toEqual({ state: 'failed', updater: 'os-updater', updatersDone: ['kubelet-updater'] })
  says(kubelet, 'kubelet', answer)
  expect(await ask()).toMatch(/kubelet-updater/)
  expect(calls).toEqual(['kubelet'])
  done(kubelet, 'kubelet')
  done(os, 'os')
  expect(await ask()).toBe('done')
  await flushUpdaterCalls()
  const health = await db().updater.findFirstOrThrow({ where: { name: 'os-updater' } })
  expect(health.failingSince).toBeNull()
})

test('a config that is another one beside the approved fields is passed on to nobody', async () => {
  const apiVersion = 'bootstrap.cluster.x-k8s.io/v1beta2'
  const by = { coveredBy: 'kubelet-updater' }
  const change = { object: 'machine', path: 'version', current: 'v1', desired: 'v2', ...by }
  // Came as a whole, and is filled in when the machine joins.
  const came = { object: 'bootstrap', path: 'joinConfiguration', desired: { skipPhases: ['a'] }, ...by }
  const config = { apiVersion, digest: keyedDigest(workerConfig({ joinConfiguration: { skipPhases: ['a'] } })) }
  await approved([], {
    changeSet: { pairs: [{ from: 'a', machines: 1, fingerprint: 'a', changes: [change, came], config }], fields: [] },
  })
  done(kubelet, 'kubelet')
  const asked = async (spec: JsonObject, version = apiVersion) => {
    calls.length = 0
    const answer = answerUpdate(clusterId, request({ apiVersion: version, kind: 'KubeadmConfig', spec }))
    return answer.then(() => calls.length > 0).catch((error: Error) => error.message)
  }
  done(os, 'os')
  const edited = expect.stringMatching(/its template was edited since\. Delete this Machine/) as string
  // As the bootstrap provider fills it in when the machine joins.
  const discovery = { bootstrapToken: { token: 'abcdef.0123456789abcdef' } }
  expect(await asked({ joinConfiguration: { skipPhases: ['a'], discovery }, files: [] })).toBe(true)
  // As older versions of Cluster API defaulted it.
  const nodeRegistration = { imagePullPolicy: 'IfNotPresent' }
  expect(await asked({ format: 'cloud-config', joinConfiguration: { skipPhases: ['a'], nodeRegistration } })).toBe(true)
  expect(await asked({ joinConfiguration: { skipPhases: ['a'] }, preKubeadmCommands: ['true'] })).toEqual(edited)
  expect(await asked({ joinConfiguration: { skipPhases: [] } })).toEqual(edited)
  const older = 'bootstrap.cluster.x-k8s.io/v1beta1'
  expect(await asked({ joinConfiguration: { skipPhases: ['a'] }, preKubeadmCommands: ['true'] }, older)).toBe(true)
})

test('held again it is planned anew: a config that was edited since is passed on to nobody, and what was approved is', async () => {
  const apiVersion = 'bootstrap.cluster.x-k8s.io/v1beta2'
  const shown: JsonObject = { preKubeadmCommands: ['true'] }
  const pair = (config: JsonObject) => ({
    ...{ from: 'a', machines: 1, fingerprint: 'a', config: { apiVersion, digest: keyedDigest(workerConfig(config)) } },
    changes: [{ object: 'machine', path: 'version', current: 'v1', desired: 'v2', coveredBy: 'kubelet-updater' }],
  })
  const edited: JsonObject = { preKubeadmCommands: ['false'] }
  await approved([], {
    ...{ state: 'rejected', changeSet: { pairs: [pair(edited)], fields: [] } },
    decisions: { create: { ...VOID, pairs: [pair(shown)] } },
  })
  const asked = (spec: JsonObject) =>
    answerUpdate(clusterId, request({ apiVersion, kind: 'KubeadmConfig', spec })).then(
      ({ record }) => record.answer,
      (error: Error) => error.message,
    )
  expect(await asked(edited)).toMatch(/its template was edited since/)
  expect(calls).toEqual([])
  expect(await asked(shown)).toBe('done')
  // Approved as it is now: either was approved.
  await db().decision.create({ data: { ...VOID, ...newer(), changeId, pairs: [pair(edited)] } })
  expect([await asked(edited), await asked(shown)]).toEqual(['done', 'done'])
})

test('nobody is forgotten for years: it is asked again within the hour, whatever it says', async () => {
  says(os, 'os', { status: 'Success', message: 'os works', retryAfterSeconds: 2 ** 31 - 1 })
  done(kubelet, 'kubelet')
  const { response } = await answerUpdate(clusterId, request())
  expect(response.retryAfterSeconds).toBe(3_600)
})

test('a newer change that only names other templates does not take the machines of an older one', async () => {
  const older = changeId
  const reference = { object: 'machine', path: 'infrastructureRef.name', current: 'a', desired: 'b' }
  working(kubelet, 'kubelet')
  // It has begun by that one.
  expect(await ask()).toBe('kubelet works')
  await alsoApproved([reference], { detectedAt: new Date(Date.now() + 60_000) })
  expect(await ask()).toBe('kubelet works')
  expect(await progress()).toBeNull()
  changeId = older
  expect(await progress()).toMatchObject({ updater: 'kubelet-updater' })
})

test('begun while its cluster was disconnected, and failed: it is on record, and counts, with the change that goes on', async () => {
  const over = { state: 'superseded', detectedAt: new Date(Date.now() - 60_000) }
  await approved([], { ...over, decisions: { create: { ...VOID, pairs: await pairsOf(changeId) } } })
  const older = changeId
  await alsoApproved([], { decisions: {} })
  const row = { changeId, machineId, machineName: 'm1', state: 'updating', predicted: 'in-place' }
  await db().machineProgress.create({ data: { ...row, startedAt: new Date(Date.now() - 30_000) } })
  says(os, 'os', { status: 'Failure', message: 'disk is full' })
  expect(await ask()).toMatch(/disk is full/)
  expect(await progress()).toEqual({ state: 'failed', updater: 'os-updater', updatersDone: ['kubelet-updater'] })
  await db().updater.deleteMany({ where: { name: 'kubelet-updater' } })
  expect(await ask()).toMatch(/not configured any more/)
  expect(await progress()).toMatchObject({ updater: 'kubelet-updater' })
  expect(await db().machineProgress.count({ where: { changeId: older } })).toBe(0)
})

test('the order is the one that holds now, and who covers nothing of it is not called', async () => {
  await add('third', os, 2)
  expect(await ask()).toBe('done')
  expect(calls).toEqual(['kubelet', 'os'])
  await db().updater.update({ where: { name: 'kubelet-updater' }, data: { position: 5 } })
  expect(await ask()).toBe('done')
  expect(calls).toEqual(['os', 'kubelet'])
  // A policy counts with which it was let go, and none that was written since: somebody may be at work.
  const spec = { select: { names: ['md'] }, updaterOrder: ['kubelet-updater'] }
  const { id } = await savePolicy(systemCtx('test'), { name: 'order', spec })
  expect(await ask()).toBe('done')
  expect(calls).toEqual(['os', 'kubelet'])
  await db().rolloutPolicy.delete({ where: { id } })
  const policy = { rules: { updaterOrder: { value: ['kubelet-updater'] } } }
  await db().decision.updateMany({ where: { changeId }, data: { policy, acceptedAt: new Date() } })
  expect(await ask()).toBe('done')
  expect(calls).toEqual(['kubelet', 'os'])
})

test('one that covers a part and is gone is not passed over; one that is for other groups by now still does its part', async () => {
  await db().updater.update({ where: { name: 'os-updater' }, data: { groups: { namespaces: ['other'] } } })
  expect(await ask()).toBe('done')
  expect(calls).toEqual(['kubelet', 'os'])
  await db().updater.delete({ where: { name: 'os-updater' } })
  expect(await ask()).toMatch(/^held: the updater os-updater is not configured any more/)
  expect(calls).toEqual([])
})

test('of a field that nobody is known to cover every updater of the group has to say that it is done', async () => {
  await add('elsewhere', os, 2, { namespaces: ['other'] })
  await approved([
    { object: 'machine', path: 'version', current: 'v1', desired: 'v2', coveredBy: 'kubelet-updater' },
    { object: 'bootstrap', path: 'ntp.enabled', desired: true },
  ])
  expect(await ask()).toBe('done')
  expect(calls).toEqual(['kubelet', 'os'])
})

test('of an old revision of which nothing is left to begin, the last machine is done when all say so that covered it as it was approved', async () => {
  const version = { object: 'machine', path: 'version', desired: 'v2' }
  const ntp = { object: 'bootstrap', path: 'ntp.enabled', desired: true, coveredBy: 'os-updater' }
  const pair = (from: string, ...changes: object[]) => ({ from, machines: 1, fingerprint: from, changes })
  const both = [pair('a', { ...version, coveredBy: 'kubelet-updater' }, ntp), pair('b', ntp)]
  // Held again.
  await approved([], {
    ...{ state: 'waiting', changeSet: { pairs: [pair('b', ntp)], fields: [] } },
    decisions: { create: { ...VOID, pairs: both } },
  })
  working(kubelet, 'kubelet')
  expect(await ask()).toBe('kubelet works')
  // Approved again it goes on so; and who covers a field is the word of the newest that has it.
  const { id } = await db().decision.create({ data: { ...VOID, ...newer(), changeId, pairs: [pair('b', ntp)] } })
  expect(await ask()).toBe('kubelet works')
  await db().decision.update({ where: { id }, data: { pairs: [pair('a', { ...version, coveredBy: 'os-updater' })] } })
  expect(await ask()).toBe('done')
  expect(calls).toEqual(['os'])
})

test('what was approved once and taken back is passed on to nobody who had not begun by it, once another config was approved', async () => {
  const apiVersion = 'bootstrap.cluster.x-k8s.io/v1beta2'
  const bad: JsonObject = { preKubeadmCommands: ['curl bad | sh'] }
  const good: JsonObject = { preKubeadmCommands: ['true'] }
  const pair = (config: JsonObject) => ({
    ...{ from: 'a', machines: 1, fingerprint: 'a', config: { apiVersion, digest: keyedDigest(workerConfig(config)) } },
    changes: [{ object: 'machine', path: 'version', current: 'v1', desired: 'v2', coveredBy: 'kubelet-updater' }],
  })
  // Ada approved `bad`, it was stored, she took it back before any machine began; then the template was edited, and that was approved.
  await approved([], {
    ...{ state: 'running', changeSet: { pairs: [pair(good)], fields: [] } },
    decisions: { create: { ...VOID, pairs: [pair(bad)] } },
    approvals: {
      create: {
        ...{ fingerprint: 'a', mode: 'in-place', actorId: 'a', actorName: 'Ada' },
        ...{ endedAt: new Date(Date.now() - 30_000), endedWhy: 'withdrawn' },
      },
    },
  })
  await db().decision.create({ data: { ...VOID, ...newer(), changeId, pairs: [pair(good)] } })
  expect(await db().machineProgress.count({ where: { changeId } })).toBe(0)
  // Under way, its template is edited back: Cluster API begins the next machine with that.
  const said = await answerUpdate(clusterId, request({ apiVersion, kind: 'KubeadmConfig', spec: bad })).then(
    ({ record }) => record.answer,
    (error: Error) => `held: ${error.message}`,
  )
  expect(said).toMatch(/^held/)
  expect(calls).toEqual([])
})

test('past its time a machine is called done once its group is held, or when that does not come', async () => {
  await db().change.update({ where: { id: changeId }, data: { pausedAt: new Date(), pausedBy: 'Bo' } })
  expect(JSON.stringify(await answerUpdate(clusterId, request()))).toContain('group is held","retryAfterSeconds":2')
  const late = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 20_000)
  expect(await ask()).toBe('done')
  late.mockRestore()
  await db().group.update({ where: { id: groupId }, data: { held: 'not-now' } })
  expect(await ask()).toBe('done')
})
