import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { JsonObject } from '@/lib/domain/json'
import { makeAuthority, makeLeaf, type Pair } from '@/worker/gate/certificates'
import { changeSetOf } from '../changes/change-row'
import type { Ctx } from '../context'
import type { ServiceError } from '../errors'
import { addUpdater } from './add-updater'
import { canUpdate } from './can-update'
import { checkUpdater } from './check-updater'
import { coverageOf } from './coverage'
import { updatersFor } from './for-cluster'
import { listUpdaters } from './list-updaters'
import { moveUpdater } from './move-updater'
import { flushUpdaterCalls, KEPT } from './record'
import { removeUpdater } from './remove-updater'
import { fakeUpdater, mergePatch, type FakeUpdater } from './testing'
import { closeUpdaters } from './transport'

useTestDatabase()

const admin: Ctx = { actor: { kind: 'user', id: 'u', name: 'Ada', role: 'admin' } }
let authority: Pair
let kubelet: FakeUpdater
let os: FakeUpdater
let clusterId = ''

beforeAll(async () => {
  authority = await makeAuthority()
  const leaf = await makeLeaf(authority, ['127.0.0.1'])
  kubelet = await fakeUpdater(leaf)
  os = await fakeUpdater(leaf)
})
afterAll(async () => {
  await closeUpdaters()
  await Promise.all([kubelet?.stop(), os?.stop()])
})
beforeEach(async () => {
  await closeUpdaters()
  await flushUpdaterCalls()
  for (const fake of [kubelet, os]) {
    fake.asked.length = 0
    fake.says = Object.assign(fake.says, { CanUpdateMachine: undefined, UpdateMachine: undefined })
  }
  await db().change.deleteMany({})
  await db().updater.deleteMany({})
  await db().managementCluster.deleteMany({})
  const cluster = await db().managementCluster.create({ data: { name: 'm', server: 'https://127.0.0.1:1' } })
  clusterId = cluster.id
})

const add = (name: string, more: object = {}) =>
  addUpdater(admin, { name, url: (name.startsWith('os') ? os : kubelet).url, caPem: authority.certPem, ...more })
const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )
const side = (version: string, priority: number): JsonObject => ({
  machine: { spec: { version } },
  infrastructureMachine: { spec: { priority } },
})
const request = { current: side('v1', 1), desired: side('v2', 2) }

describe('asking several', () => {
  test('the second is asked about what the first leaves, and each is named with its fields', async () => {
    await add('kubelet-updater')
    await add('os-updater')
    kubelet.says.CanUpdateMachine = () => ({ machinePatch: mergePatch({ spec: { version: 'v2' } }) })
    os.says.CanUpdateMachine = ({ current }) => {
      expect(current).toEqual(side('v2', 1))
      return { infrastructureMachinePatch: mergePatch({ spec: { priority: 2 } }) }
    }
    const result = await canUpdate(await updatersFor(clusterId), 'CanUpdateMachine', request, 5_000)
    expect(result).toMatchObject({ covered: true, uncovered: [] })
    expect(Object.fromEntries(result.by)).toEqual({
      'machine: version': 'kubelet-updater',
      'infrastructure: priority': 'os-updater',
    })
  })

  test.each([
    [
      'undoes what the one before did',
      { machinePatch: { spec: { version: 'v1' } } },
      /nobody asked for \(machine: version\)/,
    ],
    [
      'touches another field',
      { infrastructureMachinePatch: { spec: { priority: 2, x: 1 } } },
      /nobody asked for \(infrastructure: x\)/,
    ],
    [
      'brings a field elsewhere',
      { infrastructureMachinePatch: { spec: { priority: 3 } } },
      /something else than what is wanted \(infrastructure: priority\)/,
    ],
    [
      'claims a field and leaves it',
      { infrastructureMachinePatch: { spec: { priority: 1 } } },
      /leaves as it is \(infrastructure: priority\)/,
    ],
    [
      'answers for another object',
      { bootstrapConfigPatch: { spec: {} } },
      /answered for another object: bootstrapConfigPatch/,
    ],
  ])('one that %s is named, and what can be done is unknown', async (_what, patches, sentence) => {
    await add('kubelet-updater')
    await add('os-updater')
    kubelet.says.CanUpdateMachine = () => ({ machinePatch: mergePatch({ spec: { version: 'v2' } }) })
    os.says.CanUpdateMachine = () =>
      Object.fromEntries(Object.entries(patches).map(([key, patch]) => [key, mergePatch(patch as JsonObject)]))
    const known = await coverageOf(await updatersFor(clusterId), { hook: 'CanUpdateMachine', request })
    expect(known.by.size).toBe(0)
    const { unknown } = known.coverage as { unknown: string }
    expect(unknown).toMatch(/^The updater os-updater answered what cannot be relied on: /)
    expect(unknown).toMatch(sentence)
    await flushUpdaterCalls()
    const [first, second] = await listUpdaters(admin)
    expect(first!.health).toMatchObject({ failingSince: null, error: null })
    expect(second!.health.error).toMatch(sentence)
    expect(second!.health.failingSince).not.toBeNull()
  })

  test('an answer that is nested without end, or of another kind, is an answer that says nothing', async () => {
    await add('kubelet-updater')
    const deep = `${'[{"a":'.repeat(30_000)}1${'}]'.repeat(30_000)}`
    const patch = Buffer.from(`{"spec":{"version":${deep}}}`).toString('base64')
    kubelet.says.CanUpdateMachine = () => ({ machinePatch: { patchType: 'JSONMergePatch', patch } })
    const unknown = async () =>
      (await coverageOf(await updatersFor(clusterId), { hook: 'CanUpdateMachine', request })).coverage
    expect(await unknown()).toMatchObject({ unknown: expect.stringContaining('The updater kubelet-updater') })
    kubelet.says.CanUpdateMachine = () => ({ kind: 'UpdateMachineResponse' })
    expect(await unknown()).toMatchObject({ unknown: expect.stringContaining('answered another question') })
  })
})

test('of one field that several did parts of, nobody is named: any of them may have one in any', async () => {
  await add('kubelet-updater')
  await add('os-updater')
  const list = (items: string[]): JsonObject => ({
    machine: { spec: { version: 'v1' } },
    infrastructureMachine: { spec: { items } },
  })
  const patch = (items: string[]) => () => ({ infrastructureMachinePatch: mergePatch({ spec: { items } }) })
  kubelet.says.CanUpdateMachine = patch(['n2', 'x'])
  os.says.CanUpdateMachine = patch(['n1', 'n2', 'x'])
  const both = { current: list(['x']), desired: list(['n1', 'n2', 'x']) }
  const result = await canUpdate(await updatersFor(clusterId), 'CanUpdateMachine', both, 5_000)
  expect(result.covered).toBe(true)
  expect(result.by.size).toBe(0)
  expect([...result.touched]).toEqual(['kubelet-updater', 'os-updater'])
})

test('what differs only half way is nobody’s alone', async () => {
  await add('kubelet-updater')
  await add('os-updater')
  const having = (o?: JsonObject): JsonObject => ({
    machine: { spec: { version: 'v1' } },
    infrastructureMachine: { spec: { a: 1, ...(o ? { o } : {}) } },
  })
  const patch = (o: JsonObject) => () => ({ infrastructureMachinePatch: mergePatch({ spec: { o } }) })
  kubelet.says.CanUpdateMachine = patch({ x: 1 })
  os.says.CanUpdateMachine = patch({ x: 1, y: 2 })
  const both = { current: having(), desired: having({ x: 1, y: 2 }) }
  const result = await canUpdate(await updatersFor(clusterId), 'CanUpdateMachine', both, 5_000)
  expect(result.covered).toBe(true)
  expect(result.by.size).toBe(0)
})

describe('which groups it is for', () => {
  const group = (more: object = {}) => ({
    kind: 'MachineDeployment',
    namespace: 'fleet',
    workloadCluster: 'c1',
    ...more,
  })
  const names = async (more?: object) => (await updatersFor(clusterId, group(more))).map(({ name }) => name)

  test('all restrictions hold together; none is for all', async () => {
    await add('os-updater', { groups: { namespaces: ['fleet'], kinds: ['MachineDeployment'] } })
    await add('kubelet-updater', { groups: { workloadClusters: ['c1', 'c2'] } })
    await add('kubelet-all', { groups: {} })
    expect(await names()).toEqual(['os-updater', 'kubelet-updater', 'kubelet-all'])
    expect(await names({ kind: 'KubeadmControlPlane' })).toEqual(['kubelet-updater', 'kubelet-all'])
    expect(await names({ namespace: 'other', workloadCluster: 'c3' })).toEqual(['kubelet-all'])
    expect((await listUpdaters(admin)).map(({ groups }) => groups)).toEqual([
      { namespaces: ['fleet'], kinds: ['MachineDeployment'] },
      { workloadClusters: ['c1', 'c2'] },
      null,
    ])
  })

  test('a wrong one has a sentence at its field, and one that cannot be read is neither all nor none', async () => {
    const refused = await failure(add('os-updater', { groups: { namespaces: ['Not A Name'] } }))
    expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'groups.namespaces.0' }] } })
    const { id } = await add('os-updater')
    await db().updater.update({ where: { id }, data: { groups: { namespaces: 'fleet' } } })
    expect((await failure(updatersFor(clusterId, group()))).message).toContain('os-updater')
  })
})

describe('the order', () => {
  const order = async () => (await listUpdaters(admin)).map(({ name }) => name)

  test('is given when one is added, moved up, down and to a place, and audited', async () => {
    await add('a')
    await add('b')
    const c = await add('c', { position: 0 })
    expect(await order()).toEqual(['c', 'a', 'b'])
    await moveUpdater(admin, { updaterId: c.id, to: 'down' })
    expect(await order()).toEqual(['a', 'c', 'b'])
    await moveUpdater(admin, { updaterId: c.id, to: 2 })
    expect(await order()).toEqual(['a', 'b', 'c'])
    await moveUpdater(admin, { updaterId: c.id, to: 'down' })
    expect(await order()).toEqual(['a', 'b', 'c'])
    await moveUpdater(admin, { updaterId: c.id, to: 'up' })
    expect(await order()).toEqual(['a', 'c', 'b'])
    const last = await db().auditEvent.findFirstOrThrow({ where: { action: 'updater.moved' }, orderBy: { id: 'desc' } })
    expect(last.details).toEqual({ order: ['a', 'c', 'b'] })
    expect((await db().updater.findMany({ orderBy: { position: 'asc' } })).map((u) => u.position)).toEqual([0, 1, 2])
  })

  test('in one cluster those of another are passed over', async () => {
    const { id: other } = await db().managementCluster.create({ data: { name: 'n', server: 'https://127.0.0.1:2' } })
    await add('a', { clusterId })
    await add('x', { clusterId: other })
    const b = await add('b', { clusterId })
    const shown = await moveUpdater(admin, { updaterId: b.id, clusterId, to: 'up' })
    expect(shown.map(({ name }) => name)).toEqual(['b', 'a'])
  })

  test('two who add and move at once leave every place taken once', async () => {
    const a = await add('a')
    await Promise.all([add('b'), add('c'), moveUpdater(admin, { updaterId: a.id, to: 5 }), add('d', { position: 0 })])
    expect((await listUpdaters(admin)).map(({ position }) => position)).toEqual([0, 1, 2, 3])
  })

  test.each(['viewer', 'operator', 'approver'] as const)('a %s may not touch it', async (role) => {
    const ctx: Ctx = { actor: { ...admin.actor, role } }
    for (const verb of [moveUpdater, checkUpdater])
      expect((await failure(verb(ctx, { updaterId: randomUUID(), to: 'up' }))).code).toBe('forbidden')
  })
})

describe('what depends on it', () => {
  const field = (path: string, coveredBy?: string) => ({ object: 'machine', path, current: 1, desired: 2, coveredBy })
  const running = (changes: object[]) =>
    db().change.create({
      data: {
        ...{ clusterId, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'f', groupName: 'g' },
        ...{ workloadCluster: 'w', fingerprint: 'a', state: 'running', summary: 's', outlook: {} },
        ...{ heldBy: 'gate', resourceVersion: '1', machines: 1 },
        changeSet: { pairs: [{ from: 'a', machines: 1, fingerprint: 'a', changes }], fields: [] },
        decisions: { create: { fingerprint: 'a', mode: 'in-place', actorId: 'a', actorName: 'Ada', state: 'seen' } },
      },
    })

  test('a running change keeps those who have a part in it, in their order, and no others', async () => {
    const a = await add('a')
    const b = await add('b')
    const c = await add('c')
    await running([field('version', 'a'), field('failureDomain', 'b')])
    const refused = await failure(removeUpdater(admin, { updaterId: a.id }))
    expect(refused).toMatchObject({ code: 'conflict', more: { hint: expect.stringContaining('f/g in m') } })
    expect((await failure(moveUpdater(admin, { updaterId: b.id, to: 'up' }))).message).toContain('being updated')
    await moveUpdater(admin, { updaterId: c.id, to: 0 })
    await removeUpdater(admin, { updaterId: c.id })
    expect((await listUpdaters(admin)).map(({ name }) => name)).toEqual(['a', 'b'])
  })

  /** Stopped, and a machine of it is at work. */
  async function stopped({ id: changeId }: { id: string }, data: object, decision: object = {}): Promise<string> {
    await db().change.update({ where: { id: changeId }, data })
    const over = { state: 'voided', sentAt: new Date(), ...decision }
    await db().decision.updateMany({ where: { changeId }, data: over })
    const machineId = randomUUID()
    const common = { clusterId, namespace: 'f', workloadCluster: 'w', resourceVersion: '1', createdAt: new Date() }
    const shown = { phase: 'Running', state: 'updating', sentence: 's', provider: 'cluster.x-k8s.io' }
    const group = { groupKind: 'MachineDeployment', groupName: 'g' }
    await db().machine.create({ data: { ...common, ...shown, ...group, id: machineId, name: 'm1', updating: true } })
    await db().machineProgress.create({
      data: { changeId, machineId, machineName: 'm1', state: 'updating', startedAt: new Date() },
    })
    return machineId
  }

  test.each(['waiting', 'rejected', 'running'])(
    'one that is at work on a machine of a change that was stopped, and is %s, stays',
    async (state) => {
      const a = await add('a')
      const machineId = await stopped(await running([field('version', 'a')]), { state })
      expect((await failure(removeUpdater(admin, { updaterId: a.id }))).code).toBe('conflict')
      await db().machine.update({ where: { id: machineId }, data: { updating: false } })
      await removeUpdater(admin, { updaterId: a.id })
    },
  )

  test('so does one that has no part in what is left to begin', async () => {
    const a = await add('a')
    const change = await running([field('version', 'a')])
    const pairs = changeSetOf(change).pairs as unknown as Prisma.InputJsonArray
    const left = [{ from: 'b', machines: 1, fingerprint: 'b', changes: [field('failureDomain', 'b')] }]
    await stopped(change, { state: 'waiting', changeSet: { pairs: left, fields: [] } }, { pairs })
    expect((await failure(removeUpdater(admin, { updaterId: a.id }))).code).toBe('conflict')
  })

  test('of a field that nobody is known to cover it may be anybody', async () => {
    const a = await add('a')
    await running([field('version', 'b'), field('failureDomain')])
    expect((await failure(removeUpdater(admin, { updaterId: a.id }))).code).toBe('conflict')
  })
})

describe('health', () => {
  test('asked now: what it handles, how long it took, until when its certificate holds; and when it is down', async () => {
    const { id: updaterId } = await add('kubelet-updater')
    const check = await checkUpdater(admin, { updaterId })
    expect(check).toMatchObject({ hooks: ['CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine'], problem: null })
    expect(Date.parse(check.certificateEnds!)).toBeGreaterThan(Date.now())
    expect((await listUpdaters(admin))[0]!.health).toMatchObject({ failingSince: null })
    await db().updater.update({ where: { id: updaterId }, data: { url: 'https://127.0.0.1:1' } })
    expect(await checkUpdater(admin, { updaterId })).toMatchObject({
      problem: 'The updater kubelet-updater cannot be reached (ECONNREFUSED).',
      certificateEnds: null,
    })
    const since = (await listUpdaters(admin))[0]!.health.failingSince
    expect(since).not.toBeNull()
    await checkUpdater(admin, { updaterId })
    const { health } = (await listUpdaters(admin))[0]!
    expect(health.failingSince).toBe(since)
    const calls = await db().updaterCall.findMany({ where: { updaterId }, orderBy: { id: 'asc' } })
    expect(calls.map(({ answer, count }) => [answer, count])).toEqual([
      ['ok', 1],
      ['failed', 2],
    ])
    expect(await db().auditEvent.count({ where: { action: { contains: 'check' } } })).toBe(0)
  })

  test('the newest answers are kept, and those of one that was removed meanwhile are not', async () => {
    const { id } = await add('kubelet-updater')
    const [updater] = await updatersFor(clusterId)
    for (let i = 0; i < KEPT + 5; i++) {
      kubelet.says.CanUpdateMachine = () => ({ status: 'Failure', message: `no ${i}` })
      await canUpdate([updater!], 'CanUpdateMachine', request, 5_000).catch(() => undefined)
    }
    await flushUpdaterCalls()
    const kept = await db().updaterCall.findMany({ where: { updaterId: id }, orderBy: { id: 'desc' } })
    expect(kept).toHaveLength(KEPT)
    expect(kept[0]!.message).toContain(`no ${KEPT + 4}`)
    await db().updater.delete({ where: { id } })
    await canUpdate([updater!], 'CanUpdateMachine', request, 5_000).catch(() => undefined)
    await flushUpdaterCalls()
    expect(await db().updaterCall.count()).toBe(0)
  })
})
