import { randomUUID } from 'node:crypto'
import { shownMachines } from '@/lib/services/plan/hull'
import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { changeHulls, clusterHulls } from './hulls'

useTestDatabase()
const [atlas, tidal] = [randomUUID(), randomUUID()]

/** name, role, zone, error */
const PROD: [string, boolean, string | null, string | null][] = [
  ['w-2', false, 'b', null],
  ['w-10', false, 'a', 'No capacity'],
  ['w-1', false, 'b', null],
  ['w-3', false, null, null],
  ['cp-1', true, 'a', null],
]

beforeAll(async () => {
  for (const [id, name] of [
    [atlas, 'atlas'],
    [tidal, 'tidal'],
  ] as const)
    await db().managementCluster.create({ data: { id, name, server: `https://${name}` } })
  const machine = (clusterId: string, [name, controlPlane, failureDomain, error]: (typeof PROD)[number]) => ({
    ...{ id: randomUUID(), clusterId, provider: 'cluster.x-k8s.io', namespace: 'default', workloadCluster: 'prod' },
    ...{ name, controlPlane, failureDomain, error, groupKind: 'MachineDeployment', groupName: 'w', phase: 'Running' },
    ...{ state: 'ready', sentence: '', resourceVersion: '1', createdAt: new Date() },
  })
  await db().machine.createMany({ data: PROD.map((given) => machine(atlas, given)) })
  // Of the same name in another management cluster.
  await db().machine.createMany({ data: [machine(tidal, ['other', false, null, null])] })
})

test('each role of each cluster has its own machines, by zone and name, with why', async () => {
  const keys = [
    { clusterId: tidal, namespace: 'default', workload: 'prod' },
    { clusterId: atlas, namespace: 'default', workload: 'prod' },
    { clusterId: atlas, namespace: 'default', workload: 'gone' },
    { clusterId: atlas, namespace: 'other', workload: 'prod' },
  ]
  const hulls = await clusterHulls(keys, 4)
  expect([...hulls.keys()].sort()).toEqual(
    [`${atlas}/default/prod/cp`, `${atlas}/default/prod/workers`, `${tidal}/default/prod/workers`].sort(),
  )
  const workers = hulls.get(`${atlas}/default/prod/workers`)!
  expect(workers.cells!.map((cell) => cell.name)).toEqual(['w-3', 'w-10', 'w-1', 'w-2'])
  expect(workers.cells![1]).toMatchObject({ mark: 'failed', note: 'No capacity' })
  expect(workers.counts).toEqual([
    { mark: 'failed', count: 1 },
    { mark: 'up-to-date', count: 3 },
  ])
  expect(hulls.get(`${tidal}/default/prod/workers`)!.cells!.map((cell) => cell.name)).toEqual(['other'])
})

test('more machines than can be drawn are counted', async () => {
  const hulls = await clusterHulls([{ clusterId: atlas, namespace: 'default', workload: 'prod' }], 3)
  expect(hulls.get(`${atlas}/default/prod/workers`)).toMatchObject({ total: 4, cells: null })
  expect(hulls.get(`${atlas}/default/prod/cp`)).toMatchObject({ total: 1, cells: [{ name: 'cp-1' }] })
})

test.each([100, 1])(
  'of those that count as up to date, how many failed or are still at it (most %d cells)',
  async (most) => {
    const of = { clusterId: atlas, groupKind: 'MachineDeployment', namespace: 'default', groupName: `g-${most}` }
    const { id: changeId } = await db().change.create({
      data: {
        ...{ ...of, workloadCluster: 'w', groupId: randomUUID(), fingerprint: 'f', state: 'waiting', summary: '' },
        ...{ heldBy: 'latch', resourceVersion: '1', machines: 1, changeSet: {}, outlook: {} },
      },
    })
    const machine = async (state: string, verdict: string, step?: string) => {
      const id = randomUUID()
      await db().machine.create({
        data: {
          ...{
            ...of,
            id,
            name: id,
            workloadCluster: 'w',
            provider: 'cluster.x-k8s.io',
            phase: 'Running',
            sentence: '',
          },
          ...{ state, verdict, resourceVersion: '1', createdAt: new Date() },
        },
      })
      const startedAt = new Date()
      if (step)
        await db().machineProgress.create({
          data: { changeId, machineId: id, machineName: id, state: step, startedAt },
        })
    }
    const counted = async () => (await changeHulls([changeId], most)).get(changeId)
    await machine('ready', 'up-to-date', 'done')
    expect(await counted()).not.toHaveProperty('current')
    await machine('failed', 'up-to-date', 'failed')
    // Connected anew, nothing is on record of it.
    await machine('failed', 'up-to-date')
    await machine('updating', 'up-to-date', 'updating')
    await machine('failed', 'replace')
    expect(await counted()).toMatchObject({ total: 5, current: { failed: 2, updating: 1 } })
  },
)

test('of a change that is over before it was through, what was made and not ready by then is not called ready', async () => {
  const { id: changeId } = await db().change.create({
    data: {
      ...{ clusterId: atlas, groupKind: 'MachineDeployment', namespace: 'default', groupName: 'left' },
      ...{ workloadCluster: 'w', groupId: randomUUID(), fingerprint: 'f', state: 'superseded', summary: '' },
      ...{ heldBy: 'latch', resourceVersion: '1', machines: 1, changeSet: {}, outlook: {} },
    },
  })
  const startedAt = new Date()
  for (const [machineName, finishedAt] of [
    ['a', startedAt],
    ['b', null],
  ] as const)
    await db().machineProgress.create({
      data: { ...{ changeId, machineId: randomUUID(), machineName, state: 'created' }, startedAt, finishedAt },
    })
  const { cells, counts } = (await changeHulls([changeId], 10)).get(changeId)!
  expect(cells).toMatchObject([
    { name: 'a', mark: 'up-to-date', done: true },
    { name: 'b', mark: 'new', moving: true },
  ])
  expect(counts).toMatchObject([
    { mark: 'new', moving: true, count: 1 },
    { mark: 'up-to-date', done: true, count: 1 },
  ])
})

test('of a change that was counted as done, what was made and never up is failed', async () => {
  const { id: changeId } = await db().change.create({
    data: {
      ...{ clusterId: atlas, groupKind: 'MachineDeployment', namespace: 'default', groupName: 'counted' },
      ...{ workloadCluster: 'w', groupId: randomUUID(), fingerprint: 'f', state: 'done', summary: '' },
      ...{ heldBy: 'latch', resourceVersion: '1', machines: 1, changeSet: {}, outlook: {}, failuresFrom: new Date() },
    },
  })
  const at = new Date(Date.now() - 1000)
  const failed = { failedAt: at, failedWhy: 'not Ready in time', finishedAt: at, startedAt: at }
  for (const [machineName, throughAt] of [
    ['a', at],
    ['b', null],
  ] as const)
    await db().machineProgress.create({
      data: { ...{ changeId, machineId: randomUUID(), machineName, state: 'created' }, ...failed, throughAt },
    })
  expect((await changeHulls([changeId], 10)).get(changeId)!.cells).toMatchObject([
    { name: 'a', mark: 'up-to-date', done: true },
    { name: 'b', mark: 'failed', note: 'not Ready in time' },
  ])
})

test('what was made, and failed, is not coming up once that is accepted', async () => {
  const of = { clusterId: atlas, groupKind: 'MachineDeployment', namespace: 'default', groupName: 'accepted' }
  const at = new Date(Date.now() - 1000)
  const { id: changeId } = await db().change.create({
    data: {
      ...{ ...of, workloadCluster: 'w', groupId: randomUUID(), fingerprint: 'f', state: 'running', summary: '' },
      ...{ heldBy: 'latch', resourceVersion: '1', machines: 2, changeSet: {}, outlook: {}, failuresFrom: new Date() },
    },
  })
  for (const [name, failedAt] of [
    ['a', at],
    ['b', null],
  ] as const) {
    const id = randomUUID()
    const kept = { ...of, id, name, workloadCluster: 'w', provider: 'cluster.x-k8s.io', resourceVersion: '1' }
    const state = { state: 'provisioning', verdict: 'up-to-date', phase: 'Provisioned', sentence: '', ready: false }
    await db().machine.create({ data: { ...kept, ...state, createdAt: at } })
    const failed = failedAt && { failedAt, failedWhy: 'not Ready in time' }
    const step = { machineId: id, machineName: name, state: 'created', startedAt: at }
    await db().machineProgress.create({ data: { changeId, ...step, ...failed } })
  }
  expect((await changeHulls([changeId], 10)).get(changeId)!.cells).toMatchObject([
    { name: 'a', mark: 'not-ready', note: 'not Ready in time, which was accepted' },
    { name: 'b', mark: 'new', moving: true },
  ])
})

test('what another change made, and is known to have failed, is not coming up', async () => {
  const of = { clusterId: atlas, groupKind: 'MachineDeployment', namespace: 'default', groupName: 'back' }
  const change = (state: string) =>
    db().change.create({
      data: {
        ...{ ...of, workloadCluster: 'w', groupId: randomUUID(), fingerprint: state, state, summary: '' },
        ...{ heldBy: 'latch', resourceVersion: '1', machines: 2, changeSet: {}, outlook: {} },
      },
    })
  const [former, { id }] = [await change('superseded'), await change('waiting')]
  for (const [name, failedAt] of [
    ['a', new Date()],
    ['b', null],
  ] as const) {
    const machineId = randomUUID()
    const kept = {
      ...of,
      id: machineId,
      name,
      workloadCluster: 'w',
      provider: 'cluster.x-k8s.io',
      resourceVersion: '1',
    }
    const state = { state: 'provisioning', verdict: 'replace', phase: 'Provisioned', sentence: '', ready: false }
    await db().machine.create({ data: { ...kept, ...state, machineSet: 's', createdAt: new Date() } })
    const failed = failedAt && { failedAt, failedWhy: 'not Ready in time' }
    const step = { machineId, machineName: name, state: 'created', startedAt: new Date() }
    await db().machineProgress.create({ data: { changeId: former.id, ...step, ...failed } })
  }
  const cells = [
    { name: 'a', mark: 'not-ready' },
    { name: 'b', mark: 'new', moving: true },
  ]
  expect((await changeHulls([id], 10)).get(id)!.cells).toMatchObject(cells)
  const group = { clusterId: atlas, kind: of.groupKind, namespace: of.namespace, name: of.groupName }
  const { hull } = await shownMachines(group, () => ({ verdict: 'replace', reason: '' }))
  expect(hull.cells).toMatchObject(cells)
  expect(hull.counts).toEqual([
    { mark: 'not-ready', count: 1 },
    { mark: 'new', moving: true, count: 1 },
  ])
})

test('of what is not Ready it counts what went through before, and what waits, and none that is at work or goes', async () => {
  const of = { clusterId: atlas, groupKind: 'KubeadmControlPlane', namespace: 'default', groupName: 'ill' }
  const { id: changeId } = await db().change.create({
    data: {
      ...{ ...of, workloadCluster: 'w', groupId: randomUUID(), fingerprint: 'f', state: 'running', summary: '' },
      ...{ heldBy: 'latch', resourceVersion: '1', machines: 5, changeSet: {}, outlook: {} },
    },
  })
  const at = new Date()
  const through = { startedAt: at, finishedAt: at, readyAt: at }
  for (const [name, state, progress] of [
    ['a', 'not-ready', { state: 'done', ...through }],
    ['b', 'not-ready', { state: 'waiting' }],
    ['c', 'not-ready', { state: 'updating', startedAt: at }],
    ['d', 'deleting', { state: 'done', startedAt: at, finishedAt: at }],
    ['e', 'provisioning', { state: 'created', startedAt: at }],
  ] as const) {
    const id = randomUUID()
    const kept = { ...of, id, name, workloadCluster: 'w', provider: 'cluster.x-k8s.io', resourceVersion: '1' }
    const stands = { state, verdict: 'in-place', phase: 'Running', sentence: '', ready: false, createdAt: at }
    await db().machine.create({ data: { ...kept, ...stands } })
    await db().machineProgress.create({ data: { changeId, machineId: id, machineName: name, ...progress } })
  }
  for (const most of [10, 1]) {
    const hull = (await changeHulls([changeId], most)).get(changeId)!
    expect(hull).toMatchObject({ total: 5, ill: 2 })
    expect(hull.counts).toContainEqual({ mark: 'in-place', done: true, count: 1 })
  }
})
