import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { makeAuthority, makeLeaf, type Pair } from '@/worker/gate/certificates'
import { ROLES, type Ctx } from '../context'
import type { ServiceError } from '../errors'
import { addUpdater } from './add-updater'
import { checkUpdater } from './check-updater'
import { listUpdaters } from './list-updaters'
import { updatersOverview } from './overview'
import { removeUpdater } from './remove-updater'
import { fakeUpdater, type FakeUpdater } from './testing'
import { closeUpdaters } from './transport'
import { updateUpdater } from './update-updater'

useTestDatabase()

const admin: Ctx = { actor: { kind: 'user', id: 'u', name: 'Ada', role: 'admin' } }
let authority: Pair
let other: Pair
let here: FakeUpdater
let there: FakeUpdater
let elsewhere: FakeUpdater
let updaterId = ''
let clusterId = ''

beforeAll(async () => {
  authority = await makeAuthority()
  other = await makeAuthority()
  const leaf = await makeLeaf(authority, ['127.0.0.1'])
  here = await fakeUpdater(leaf)
  there = await fakeUpdater(leaf, ['CanUpdateMachineSet', 'UpdateMachine'])
  elsewhere = await fakeUpdater(await makeLeaf(other, ['127.0.0.1']))
})
afterAll(async () => {
  await closeUpdaters()
  await Promise.all([here?.stop(), there?.stop(), elsewhere?.stop()])
})
beforeEach(async () => {
  await closeUpdaters()
  await db().change.deleteMany({})
  await db().updater.deleteMany({})
  await db().managementCluster.deleteMany({})
  clusterId = (await db().managementCluster.create({ data: { name: 'm', server: 'https://127.0.0.1:1' } })).id
  updaterId = (await addUpdater(admin, { name: 'a', url: here.url, caPem: authority.certPem, clusterId })).id
})

const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )
const stored = () => db().updater.findUniqueOrThrow({ where: { id: updaterId } })
const audited = () => db().auditEvent.findMany({ where: { action: 'updater.changed', targetId: updaterId } })
const edit = (more: object) => updateUpdater(admin, { updaterId, ...more })

test('moves it, with what changed on record and never a certificate', async () => {
  const before = await stored()
  const groups = { namespaces: ['fleet'], kinds: ['MachineDeployment'] }
  const dto = await edit({ url: elsewhere.url, caPem: other.certPem, groups })
  expect(dto).toMatchObject({ id: updaterId, name: 'a', url: elsewhere.url, groups, position: 0 })
  expect(await stored()).toMatchObject({ url: elsewhere.url, caPem: other.certPem.trim(), groups, clusterId })
  const [event, ...more] = await audited()
  expect(more).toEqual([])
  expect(event).toMatchObject({ targetName: 'a', clusterId, actorName: 'Ada', result: 'ok' })
  expect(event!.details).toEqual({
    url: { from: before.url, to: elsewhere.url },
    authority: { from: [expect.stringMatching(/^SHA-256 [0-9A-F:]{95}$/)], to: [expect.stringMatching(/^SHA-256 /)] },
    groups: { from: 'all', to: groups },
  })
  expect(JSON.stringify(event!.details)).not.toContain('CERTIFICATE')
})

test('what is not given stays, an empty selection is every group, and what changes nothing leaves no trace', async () => {
  await edit({ groups: { workloadClusters: ['c1'] } })
  await edit({ url: there.url })
  expect(await stored()).toMatchObject({ url: there.url, groups: { workloadClusters: ['c1'] } })
  await edit({ groups: { namespaces: [] } })
  expect((await stored()).groups).toBeNull()
  const count = (await audited()).length
  expect(count).toBe(3)
  await edit({ url: there.url, caPem: authority.certPem, groups: {} })
  expect(await audited()).toHaveLength(count)
})

test.each([
  ['a wrong address', { url: 'http://127.0.0.1:1' }, 'url', 'The address must begin with https://.'],
  ['nobody there', { url: 'https://127.0.0.1:1' }, 'url', /cannot be reached \(ECONNREFUSED\)/],
  ['no certificate', { caPem: 'x' }, 'caPem', /Paste one or more certificates/],
  ['a wrong name', { groups: { namespaces: ['Not A Name'] } }, 'groups.namespaces.0', /not the name of a namespace/],
])('%s is said at its field, and nothing is saved', async (_what, wish, field, message) => {
  const before = await stored()
  const error = await failure(edit(wish))
  expect(error.code).toBe('invalid')
  expect(error.more.fields?.[0]).toMatchObject({ field, message: expect.stringMatching(message) })
  expect(await stored()).toEqual(before)
  expect(await audited()).toEqual([])
})

test('one that is of no use for what it is for is not saved, whatever was known of it', async () => {
  const kinds = ['KubeadmControlPlane']
  const sentence = 'It does not handle CanUpdateMachine, so it cannot be asked about KubeadmControlPlanes.'
  expect((await failure(edit({ url: there.url, groups: { kinds } }))).message).toBe(sentence)
  await edit({ url: there.url })
  expect((await failure(edit({ groups: { kinds } }))).message).toBe(sentence)
  expect(await checkUpdater(admin, { updaterId })).toMatchObject({
    problem: null,
    notFor: 'It is not for KubeadmControlPlanes: it does not handle CanUpdateMachine.',
  })
})

test('that it answered when it was added is known of it', async () => {
  expect((await listUpdaters(admin))[0]!.health).toMatchObject({
    askedAt: expect.any(String),
    ms: expect.any(Number),
    failingSince: null,
    error: null,
  })
})

test('one that failed where it was fares well where it answers now', async () => {
  await db().updater.update({ where: { id: updaterId }, data: { url: 'https://127.0.0.1:1' } })
  await checkUpdater(admin, { updaterId })
  await edit({ groups: {}, url: there.url })
  expect((await listUpdaters(admin))[0]!.health).toMatchObject({ failingSince: null, error: null })
  await db().updater.update({ where: { id: updaterId }, data: { failingSince: new Date(), lastError: 'x' } })
  await edit({ groups: { namespaces: ['f'] } })
  expect((await listUpdaters(admin))[0]!.health.error).toBe('x')
})

test.each(ROLES.filter((role) => role !== 'admin'))('is not for a %s', async (role) => {
  const ctx: Ctx = { actor: { ...admin.actor, role } }
  expect((await failure(updateUpdater(ctx, { updaterId, url: there.url }))).code).toBe('forbidden')
})

test('one that is not there is said to be gone; of two who edit at once one is told', async () => {
  expect((await failure(updateUpdater(admin, { updaterId: randomUUID() }))).code).toBe('not-found')
  const results = await Promise.allSettled(['x', 'y', 'z'].map((name) => edit({ groups: { namespaces: [name] } })))
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as ServiceError] : []))
  expect(refused.every(({ code }) => code === 'conflict')).toBe(true)
  expect(await audited()).toHaveLength(results.length - refused.length)
})

describe('while updates run with it', () => {
  beforeEach(async () => {
    const field = { object: 'machine', path: 'version', current: 1, desired: 2, coveredBy: 'a' }
    await db().change.create({
      data: {
        ...{ clusterId, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'f', groupName: 'g' },
        ...{ workloadCluster: 'w', fingerprint: 'a', state: 'running', summary: 's', outlook: {} },
        ...{ heldBy: 'gate', resourceVersion: '1', machines: 1 },
        changeSet: { pairs: [{ from: 'a', machines: 1, fingerprint: 'a', changes: [field] }], fields: [] },
        decisions: { create: { fingerprint: 'a', mode: 'in-place', actorId: 'a', actorName: 'Ada', state: 'seen' } },
      },
    })
  })

  test('it can be moved: that is how one that moved is mended', async () => {
    await edit({ url: elsewhere.url, caPem: other.certPem })
    expect((await stored()).url).toBe(elsewhere.url)
  })

  test('it cannot leave a group that it is at work on, and can leave others', async () => {
    const error = await failure(edit({ groups: { namespaces: ['other'] } }))
    expect(error).toMatchObject({ code: 'conflict', more: { hint: expect.stringContaining('f/g in m') } })
    expect((await stored()).groups).toBeNull()
    await edit({ groups: { namespaces: ['f'], kinds: ['MachineDeployment'], workloadClusters: ['w'] } })
    expect((await failure(edit({ groups: { kinds: ['KubeadmControlPlane'] } }))).code).toBe('conflict')
    await edit({ groups: { namespaces: ['f', 'other'] } })
  })
})

test('what each covered of the newest changes of its own management cluster, whatever is newer in others', async () => {
  const { id: busy } = await db().managementCluster.create({ data: { name: 'busy', server: 'https://127.0.0.1:2' } })
  const field = { object: 'machine', path: 'version', coveredBy: 'a' }
  const change = (clusterId: string, at: number, fields: object[]) => ({
    ...{ clusterId, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'f', groupName: `g${at}` },
    ...{ workloadCluster: 'w', fingerprint: 'a', state: 'done', summary: 's', outlook: {}, detectedAt: new Date(at) },
    ...{ heldBy: 'gate', resourceVersion: '1', machines: 1, changeSet: { pairs: [], fields } },
  })
  const others = Array.from({ length: 300 }, (_, at) => change(busy, 1_000 + at, [{ ...field, coveredBy: 'b' }]))
  await db().change.createMany({
    data: [change(clusterId, 1, [{ ...field, coveredBy: 'b, a' }]), change(clusterId, 2, []), ...others],
  })
  const mine = (await updatersOverview(admin)).find(({ id }) => id === clusterId)
  expect(mine!.updaters[0]!.covered).toMatchObject([{ group: 'f/g1', fields: ['machine: version'] }])
})

describe('what cannot be read', () => {
  test.each([{ namespaces: 'fleet' }, 7, ['x'], { unheard: [] }])('a selection %j is shown as such', async (groups) => {
    await db().updater.update({ where: { id: updaterId }, data: { groups } })
    expect((await listUpdaters(admin))[0]!.groups).toBe('unreadable')
    expect((await updatersOverview(admin))[0]!.updaters[0]!.groups).toBe('unreadable')
    expect((await checkUpdater(admin, { updaterId })).problem).toBeNull()
    // What is not chosen anew is not made up.
    expect((await edit({ url: there.url })).groups).toBe('unreadable')
    expect((await edit({ groups: { namespaces: ['f'] } })).groups).toEqual({ namespaces: ['f'] })
    expect((await audited()).at(-1)!.details).toEqual({ groups: { from: 'unreadable', to: { namespaces: ['f'] } } })
  })

  test('an authority neither, and one with it can be removed', async () => {
    await db().updater.update({ where: { id: updaterId }, data: { caPem: 'x', groups: 7 } })
    expect((await listUpdaters(admin))[0]).toMatchObject({ caNotAfter: null, groups: 'unreadable' })
    await removeUpdater(admin, { updaterId })
    expect(await listUpdaters(admin)).toEqual([])
  })
})
