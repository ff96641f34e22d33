import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { HealthCheckSpec } from '@/lib/domain/health-checks'
import { getChange } from '../changes/get-change'
import { systemCtx } from '../context'
import { waiting, type Made } from '../forecast/testing/waiting'
import { remediationOf } from './view'

useTestDatabase()
const MINUTE = 60_000

const LABELS = { 'cluster.x-k8s.io/deployment-name': 'md' }
const SPEC: HealthCheckSpec = {
  selector: { labels: LABELS, expressions: [] },
  node: [{ type: 'Ready', status: 'Unknown', seconds: 300 }],
  ...{ machine: [], startupSeconds: 600, limit: null, external: null },
}
async function made(kind?: string): Promise<Made> {
  const one = await waiting(['a', 'b', 'c', 'd'], { maxSurge: '0', unavailable: '1', ...(kind ? { kind } : {}) })
  await db().machine.updateMany({ where: { clusterId: one.change.clusterId }, data: { labels: LABELS } })
  return one
}
const check = ({ change: { clusterId } }: Made, spec: Partial<HealthCheckSpec> = {}, more: object = {}) =>
  db().healthCheck.create({
    data: {
      ...{ id: randomUUID(), clusterId, namespace: 'fleet', name: `c-${randomUUID()}`, workloadCluster: 'w' },
      ...{ spec: { ...SPEC, ...spec } as object, targets: 4, healthy: 4, ...more },
    },
  })
const view = async ({ change: { id } }: Made) => remediationOf(await getChange(systemCtx('test'), { id }))
const first = async (of: Made) => (await view(of))!.checks[0]
/** As updates of this group went before. */
async function took(of: Made, minutes: number[], more: { groupId?: string; by?: string } = {}): Promise<void> {
  const { by = 'os-updater', ...other } = more
  const { id: _, changeSet: __, outlook: ___, outcome: ____, wave: _____, shape: ______, ...rest } = of.change
  const past = await db().change.create({
    data: { ...rest, ...other, state: 'done', startedAt: new Date(), changeSet: {}, outlook: {} },
  })
  const began = new Date(2026, 0, 1)
  await db().machineProgress.createMany({
    data: minutes.map((n, i) => ({
      ...{ changeId: past.id, machineId: randomUUID(), machineName: `p${i}`, state: 'done', startedAt: began },
      ...{ finishedAt: new Date(began.getTime() + n * MINUTE), updatersDone: [by] },
    })),
  })
}

test('those over machines of the group, of its cluster and namespace, and no others', async () => {
  const of = await made()
  await check(of)
  await check(of, { selector: { labels: { other: 'x' }, expressions: [] } })
  await check(of, {}, { workloadCluster: 'another' })
  await check(of, {}, { namespace: 'another' })
  await db().machine.updateMany({ where: { clusterId: of.change.clusterId, name: 'd' }, data: { labels: {} } })
  const { checks, skips, ill } = (await view(of))!
  expect(checks).toMatchObject([{ machines: 3, level: 'unknown', idle: null }])
  expect([skips, ill]).toEqual([null, []])
})

test.each<[string, number[], string]>([
  ['nothing was measured', [], 'unknown'],
  ['none took so long, and nobody knows how long a node was away', [1, 2, 4], 'unknown'],
  ['some took longer', [1, 2, 6], 'possible'],
])('by how long updates took: %s', async (_what, minutes, level) => {
  const of = await made()
  await check(of)
  if (minutes.length > 0) await took(of, minutes)
  expect(await first(of)).toMatchObject({ level })
  expect((await view(of))!.updates.measured).toBe(minutes.length)
  // Of what was held in its middle as well.
  await db().change.updateMany({ where: { state: 'done' }, data: { state: 'reverted', startedAt: null } })
  expect((await view(of))!.updates.measured).toBe(minutes.length)
})

test.each<[string, Parameters<typeof took>[2], string]>([
  ['of this group', {}, 'unlikely'],
  ['of another group', { groupId: randomUUID() }, 'unknown'],
  ['by another updater', { by: 'another' }, 'unknown'],
])('what silences a warning: enough updates %s', async (_what, more, level) => {
  const of = await made()
  const changes = [{ path: 'spec.version', coveredBy: 'os-updater' }]
  await db().change.update({
    where: { id: of.change.id },
    data: { changeSet: { pairs: [{ from: 'old', machines: 4, fingerprint: 'f', changes }], fields: [] } },
  })
  await check(of, { node: [], machine: [{ type: 'Updating', status: 'True', seconds: 300 }] })
  await took(of, [1, 2, 3], more)
  expect(await first(of)).toMatchObject({ level })
})

test.each<[string, string | undefined, Partial<HealthCheckSpec>, object, string | null]>([
  ['it may act', undefined, {}, {}, null],
  ['it is paused', undefined, {}, { paused: true }, 'paused'],
  ['with none ill it tolerates none', undefined, { limit: { atMost: '20%' } }, {}, 'limit'],
  ['it tolerates one, and one is', undefined, { limit: { atMost: '1' } }, { healthy: 3 }, 'limit'],
  ['it tolerates one', undefined, { limit: { atMost: '1' } }, {}, null],
  ['it has said nothing yet', undefined, { limit: { atMost: '25%' } }, { targets: null, healthy: null }, null],
])('whether it would act: %s', async (_what, kind, spec, more, idle) => {
  const of = await made(kind)
  await check(of, spec, more)
  expect(await first(of)).toMatchObject({ idle })
})

test('machines of the update itself that are ill are no others', async () => {
  const of = await made()
  const { clusterId } = of.change
  await check(of, { limit: { atMost: '50%' } }, { healthy: 2 })
  expect((await first(of))!.idle).toBe('limit')
  await db().machine.updateMany({ where: { clusterId, name: { in: ['a', 'b'] } }, data: { ready: false } })
  expect((await first(of))!.idle).toBeNull()
  // Also where more are ill than are updated at once, and the check waits for so many.
  await db().healthCheck.updateMany({
    where: { clusterId },
    data: { spec: { ...SPEC, limit: { from: 2, to: 2 } } as object },
  })
  expect((await first(of))!.idle).toBeNull()
})

test('a control plane with one machine remediates none', async () => {
  const of = await made('KubeadmControlPlane')
  await check(of)
  expect((await first(of))!.idle).toBeNull()
  await db().machine.deleteMany({ where: { clusterId: of.change.clusterId, name: { not: 'a' } } })
  expect((await first(of))!.idle).toBe('single')
})

test('who was found ill, and what becomes of it', async () => {
  const of = await made()
  await check(of)
  const ill = {
    checkFailedSince: new Date(),
    checkWords: 'Ready is Unknown',
    remediationReason: 'WaitingForRemediation',
  }
  await db().machine.updateMany({ where: { clusterId: of.change.clusterId, name: 'b' }, data: ill })
  expect((await view(of))!.ill).toEqual([
    { name: 'b', words: 'Ready is Unknown', fate: 'Its machine set deletes it next.', marked: false },
  ])
})

test('nor where its cluster is paused, or somebody has all of its machines skipped', async () => {
  const of = await made()
  await check(of)
  const { clusterId } = of.change
  const cluster = { clusterId, namespace: 'fleet', name: 'w', provider: 'cluster-api', paused: true }
  await db().workloadCluster.create({ data: { id: randomUUID(), ...cluster } })
  expect((await first(of))!.idle).toBe('paused')
  await db().workloadCluster.updateMany({ where: { clusterId }, data: { paused: false } })
  await db().machine.updateMany({ where: { clusterId }, data: { skipRemediation: true } })
  expect(await view(of)).toMatchObject({ checks: [{ idle: 'skipped' }], others: 4 })
})

test('what is marked still of one that is over is shown, with the words of a refusal', async () => {
  const of = await made()
  await check(of)
  const { id, clusterId } = of.change
  await db().change.update({ where: { id }, data: { state: 'done', skipsRefused: 'forbidden' } })
  expect(await view(of)).toBeNull()
  await db().machine.updateMany({ where: { clusterId, name: 'a' }, data: { skipMark: id } })
  expect(await view(of)).toMatchObject({ checks: [], now: 1, refused: 'forbidden' })
})

test('who was found ill in the middle of its update, and is gone', async () => {
  const of = await made()
  await check(of)
  const changeId = of.change.id
  await db().machineProgress.updateMany({
    where: { changeId, machineName: 'c' },
    data: { illAt: new Date(), startedAt: new Date(0) },
  })
  expect((await view(of))!.were).toEqual([{ name: 'c', updated: false, remediated: false, marked: false }])
  await db().machine.updateMany({
    where: { clusterId: of.change.clusterId, name: 'c' },
    data: { checkFailedSince: new Date() },
  })
  expect(await view(of)).toMatchObject({ were: [], ill: [{ name: 'c', inUpdate: 'still' }] })
  const updated = { state: 'deleting', throughAt: new Date() }
  await db().machineProgress.updateMany({ where: { changeId, machineName: 'c' }, data: updated })
  expect(await view(of)).toMatchObject({ ill: [{ name: 'c', inUpdate: 'lost' }] })
})

test('what its check found in updates of this group before, and no other group’s, nor what somebody marked', async () => {
  const of = await made()
  const { name } = await check(of)
  expect((await view(of))!.before).toBeNull()
  await took(of, [1, 2, 3, 4])
  await took(of, [1], { groupId: randomUUID() })
  const at = new Date('2026-11-20T10:00:00.000Z')
  const is = (machineName: string, data: object) =>
    db().machineProgress.updateMany({ where: { machineName }, data: { illAt: at, ...data } })
  await is('p0', { illBy: 'another', state: 'deleted' })
  await is('p1', { illBy: 'cluster.x-k8s.io/remediate-machine', state: 'deleted' })
  await is('p2', { illBy: name, startedAt: null })
  expect((await view(of))!.before).toBeNull()
  await is('p0', { illBy: `another, ${name}`, state: 'deleted' })
  await is('p3', { illBy: name })
  // The other group’s machine is called p0, too.
  expect((await view(of))!.before).toEqual({ found: 2, remediated: 1, at: at.toISOString() })
})

test('of those, which were updated, which are remediated, and which count for no limit', async () => {
  const of = await made()
  await check(of)
  const changeId = of.change.id
  const failuresFrom = new Date()
  const is = (machineName: string, data: object) =>
    db().machineProgress.updateMany({
      where: { changeId, machineName },
      data: { illAt: failuresFrom, startedAt: new Date(0), ...data },
    })
  await db().change.update({ where: { id: changeId }, data: { failuresFrom } })
  await is('a', { state: 'deleted', throughAt: failuresFrom })
  await is('b', { state: 'deleting', failedAt: failuresFrom, illBy: 'cluster.x-k8s.io/remediate-machine' })
  await is('c', { state: 'updating', failedAt: new Date(failuresFrom.getTime() + 1) })
  const { were, uncounted } = (await view(of))!
  expect(were.sort((x, y) => x.name.localeCompare(y.name))).toEqual([
    { name: 'a', updated: true, remediated: true, marked: false },
    { name: 'b', updated: false, remediated: true, marked: true },
    { name: 'c', updated: false, remediated: false, marked: false },
  ])
  expect(uncounted).toEqual({ accepted: 1, before: 1 })
  // Before its turn: no limit counts that.
  await is('a', { state: 'deleted', startedAt: null, throughAt: null })
  const waited = (await view(of))!
  expect(waited.were.find(({ name }) => name === 'a')).toMatchObject({ waited: true, updated: false })
  expect(waited.uncounted.before).toBe(0)
})

test('nothing where it goes otherwise, or is over', async () => {
  const of = await made()
  await check(of)
  const where = { id: of.change.id }
  await db().change.update({ where, data: { dueMode: 'replace' } })
  expect(await view(of)).toBeNull()
  await db().change.update({ where, data: { dueMode: null, state: 'done' } })
  expect(await view(of)).toBeNull()
  await db().change.update({
    where,
    data: { state: 'waiting', outlook: { inPlace: null, replace: { counts: {} }, uncovered: [] } },
  })
  expect(await view(of)).toBeNull()
})

test('what is not well now is named with when its check finds it ill; neither what is ill already, nor what is skipped', async () => {
  const of = await made()
  await check(of)
  const { clusterId } = of.change
  const since = new Date(Date.now() - 3 * MINUTE).toISOString()
  const amiss = [{ type: 'NodeReady', status: 'Unknown', since }]
  const put = (name: string, data: object) => db().machine.updateMany({ where: { clusterId, name }, data })
  await put('a', { amiss, updating: true })
  await put('b', { amiss, checkFailedSince: new Date() })
  await put('c', { amiss, skipRemediation: true })
  await put('d', { amiss: [{ type: 'NodeReady', status: 'False', since }] })
  const [one, ...more] = (await view(of))!.soon
  const at = new Date(Date.parse(since) + 5 * MINUTE).toISOString()
  expect(one).toMatchObject({ name: 'a', updating: true, on: 'node', type: 'Ready', status: 'Unknown', since, at })
  expect(more).toEqual([])
  await put('d', { amiss: Array.from({ length: 3 }, () => amiss[0]!), checkFailedSince: null })
  expect(await view(of)).toMatchObject({ soon: [{ name: 'a' }, { name: 'd' }], soonMore: 0 })
  await db().healthCheck.updateMany({ where: { clusterId }, data: { paused: true } })
  expect(await view(of)).toMatchObject({ soon: [], soonMore: 0 })
})
