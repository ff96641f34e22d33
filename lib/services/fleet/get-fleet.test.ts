import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db, pool as postgres } from '@/lib/db/client'
import { workOff } from '@/lib/db/read-model/marked'
import { NODES_BEHIND } from '@/lib/db/read-model/nodes-behind'
import { useTestDatabase } from '@/lib/db/testing'
import { as } from '@/testenv/deciding'
import { getFleet, type WorkloadDto } from './get-fleet'

useTestDatabase()

test('workload clusters of one name in two namespaces are two; OpenShift’s own has all of its machines', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'twice', server: 'https://twice' } })
  const workload = (namespace: string, name: string, provider: string) =>
    db().workloadCluster.create({ data: { id: randomUUID(), clusterId, namespace, name, provider } })
  const machine = (namespace: string, workloadCluster: string, name: string) =>
    db().machine.create({
      data: {
        ...{ id: randomUUID(), clusterId, provider: 'x', namespace, workloadCluster, name, controlPlane: false },
        ...{ groupKind: 'MachineDeployment', groupName: 'w', phase: 'Running', state: 'ready', ready: true },
        ...{ sentence: '', resourceVersion: '1', createdAt: new Date() },
      },
    })
  const group = (namespace: string, workloadCluster: string, desiredReplicas: number) =>
    db().group.create({
      data: {
        ...{ id: randomUUID(), clusterId, namespace, workloadCluster, name: 'w', kind: 'MachineDeployment' },
        ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', desiredReplicas, resourceVersion: '1', createdAt: new Date() },
      },
    })
  await Promise.all([
    workload('team-a', 'prod', 'cluster-api'),
    workload('team-b', 'prod', 'cluster-api'),
    workload('', 'ocp', 'openshift'),
    machine('team-a', 'prod', 'a-1'),
    machine('team-b', 'prod', 'b-1'),
    machine('openshift-machine-api', 'ocp', 'o-1'),
    group('team-a', 'prod', 1),
    group('team-b', 'prod', 3),
  ])
  const { workloads } = await getFleet(as('viewer'), { cluster: 'twice' })
  const shown = workloads.map((w) => [w.namespace, w.total, w.wanted, w.workers.cells?.map((cell) => cell.name)])
  expect(shown.sort()).toEqual([
    ['', 1, 1, ['o-1']],
    ['team-a', 1, 1, ['a-1']],
    ['team-b', 1, 3, ['b-1', 'not there yet', 'not there yet']],
  ])
})

test('held is what waits for somebody; what was rejected stays held, and is counted as that; so is what waits unheld', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'held', server: 'https://held' } })
  const where = { clusterId, namespace: 'team', workloadCluster: 'prod' }
  await db().workloadCluster.create({
    data: { id: randomUUID(), clusterId, namespace: 'team', name: 'prod', provider: 'cluster-api' },
  })
  const group = async (
    name: string,
    held: string | null,
    state: string,
    heldBy = 'latch',
    { stoppedAt, ...more }: { stoppedAt?: Date; paused?: boolean; rollingOut?: boolean } = {},
  ) => {
    const id = randomUUID()
    await db().group.create({
      data: {
        ...{ id, ...where, name, held, kind: 'MachineDeployment', apiVersion: 'cluster.x-k8s.io/v1beta2', ...more },
        ...{ resourceVersion: '1', createdAt: new Date() },
      },
    })
    await db().change.create({
      data: {
        ...{ ...where, groupId: id, groupKind: 'MachineDeployment', groupName: name, fingerprint: name, state },
        ...{ stoppedAt: stoppedAt ?? null },
        ...{ summary: '', heldBy, resourceVersion: '1', machines: 1, changeSet: {}, outlook: {} },
      },
    })
  }
  await group('a', 'the write changes its template', 'waiting')
  await group('b', 'rejected by Ada', 'rejected')
  await group('c', 'rejected by Ada', 'rejected')
  await group('d', null, 'rejected')
  await group('e', null, 'waiting', 'hook')
  await group('f', null, 'waiting', 'gate')
  await group('g', null, 'waiting', 'none')
  await group('h', null, 'running', 'gate')
  const counted = async () => (await getFleet(as('viewer'), { cluster: 'held' })).workloads
  expect(await counted()).toMatchObject([{ held: 1, rejected: 2, waits: 2 }])
  // Under somebody's own pause they wait as well: held besides, or for nobody but whoever takes that pause away.
  await group('i', null, 'waiting', 'latch', { paused: true })
  await group('j', null, 'waiting', 'person', { paused: true })
  expect(await counted()).toMatchObject([{ held: 2, rejected: 2, waits: 2, ownPause: 1, kept: 0 }])
  // Let go, and paused by somebody in the middle of it.
  await group('k', null, 'running', 'latch', { paused: true })
  await group('l', null, 'done', 'latch', { paused: true })
  expect(await counted()).toMatchObject([{ held: 2, rejected: 2, waits: 2, kept: 1, rolling: 0 }])
  // On the way beside those that wait: only what nothing keeps.
  const rollingOut = { rollingOut: true }
  await group('m', null, 'running', 'latch', rollingOut)
  await group('n', 'stopped by itself', 'waiting', 'latch', { ...rollingOut, stoppedAt: new Date() })
  await group('o', null, 'waiting', 'gate', rollingOut)
  await group('p', null, 'stuck', 'latch', rollingOut)
  await group('q', null, 'rejected', 'gate', rollingOut)
  expect(await counted()).toMatchObject([{ held: 3, stopped: 1, waits: 3, stuck: 1, rolling: 1 }])
})

test('a node that its pool is behind for is not up to date, whatever its machine set says of its machine', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'keel', server: 'https://keel' } })
  await db().workloadCluster.create({
    data: { id: randomUUID(), clusterId, namespace: '', name: 'keel-1', provider: 'openshift' },
  })
  const pool = (name: string, machines: number, updated: number, more = {}) =>
    db().configPool.create({
      data: { id: randomUUID(), clusterId, name, resourceVersion: '1', machines, updated, ...more },
    })
  await pool('worker', 4, 1)
  await pool('infra', 1, 1)
  const of = async (name: string, phase: string, more: { pool?: string; verdict?: string; machine?: boolean } = {}) => {
    const { pool: its = 'worker', verdict = 'up-to-date', machine = true } = more
    await db().configNode.create({ data: { id: randomUUID(), clusterId, pool: its, name, phase } })
    if (!machine) return
    await db().machine.create({
      data: {
        ...{
          id: randomUUID(),
          clusterId,
          provider: 'machine.openshift.io',
          namespace: 'openshift-machine-api',
          verdict,
        },
        ...{ workloadCluster: 'keel-1', name: `m-${name}`, node: name, groupKind: 'MachineSet', groupName: 'w' },
        ...{ phase: 'Running', state: 'ready', ready: true, sentence: '', resourceVersion: '1', createdAt: new Date() },
      },
    })
  }
  await of('done', 'updated')
  await of('held', 'paused')
  // Counted once, and one that is no machine of this cluster not at all.
  await of('both', 'paused', { verdict: 'replace' })
  await of('bare', 'paused', { machine: false })
  await of('infra-1', 'updated', { pool: 'infra' })
  const counted = async () => {
    await workOff(postgres(), NODES_BEHIND)
    const [{ total, outdated }] = (await getFleet(as('viewer'), { cluster: 'keel' })).workloads as [WorkloadDto]
    return `${total - outdated} of ${total}`
  }
  expect(await counted()).toBe('2 of 4')
  // Drawn as machines of a group are that wait to be updated where they stand.
  const drawn = async () =>
    (await getFleet(as('viewer'), { cluster: 'keel' })).workloads[0]!.workers.counts.map(
      ({ mark, count }) => `${count} ${mark}`,
    )
  expect(await drawn()).toEqual(['1 replace', '1 in-place', '2 up-to-date'])
  // The release that the cluster goes to is not rendered for it yet: none of its nodes counts.
  const behind = { updated: 0, wantedRelease: '4.22.5', desiredRelease: '4.22.4' }
  await db().configPool.updateMany({ where: { clusterId, name: 'infra' }, data: behind })
  expect(await counted()).toBe('1 of 4')
  expect(await drawn()).toEqual(['1 replace', '2 in-place', '1 up-to-date'])
  // Too many to be drawn one by one.
  await db().configPool.updateMany({ where: { clusterId, name: 'worker' }, data: { machines: 404 } })
  for (let i = 0; i < 80; i++) await of(`more-${i}`, i < 30 ? 'updated' : 'paused')
  await workOff(postgres(), NODES_BEHIND)
  expect(await drawn()).toEqual(['1 replace', '52 in-place', '31 up-to-date'])
})
