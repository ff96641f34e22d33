import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import * as notify from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { useTestDatabase } from '@/lib/db/testing'
import { PAUSED } from '@/lib/domain/latch/names'
import { CHECKS, SCALED, SKIP_PREFLIGHT, SKIPPED } from '@/lib/domain/scaling'
import { objectKey } from '@/lib/kubernetes/paths'
import { KubeError, type KubeClient, type KubeObject, type Status } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { heldFor } from '@/lib/services/changes/held-for'
import { getChange } from '@/lib/services/changes/get-change'
import { blockedBy } from '@/lib/services/changes/held-scaling'
import { holdWorkers } from '@/lib/services/changes/hold-workers'
import { letWorkersGrow } from '@/lib/services/changes/let-workers-grow'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { growthOf } from '@/lib/services/scaling/growing'
import { expectHeld, failure, inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { ada, bo, lifted, person, says, timedCluster } from '@/testenv/timed'
import type { ClusterView } from '../types'
import { carryScaling } from './carry-scaling'
import { DEPLOYMENTS, SETS } from './sets'
import { letWorkersGrow as growRound } from './workers-grow'

useTestDatabase()
const { at, view: plain } = timedCluster()
const MS = { ...MD, plural: 'machinesets' }
const MACHINES = { ...MD, plural: 'machines' }
const GOES_ON = { scaleWhileHeld: true }

/** As the worker sees the cluster, with the objects of one namespace. */
async function view({ namespace }: Held, client?: Partial<KubeClient>): Promise<ClusterView> {
  const [base, sets, groups] = await Promise.all([plain(), list(MS, namespace), list(MD, namespace)])
  const byKey = (objects: KubeObject[]) => new Map(objects.map((object) => [objectKey(object), object]))
  const known = new Map([
    [SETS, byKey(sets)],
    [DEPLOYMENTS, byKey(groups)],
  ])
  const real = base.client
  const patched = client ? ({ ...real, get: real.get.bind(real), ...client } as KubeClient) : real
  return { ...base, client: patched, objects: (resource) => known.get(resource) ?? new Map() }
}

const list = async (resource: typeof MD, namespace: string) =>
  (await at.cluster.admin.list(resource, namespace, {})).items
const scale = (held: Held, replicas: number, name = held.name) =>
  at.cluster.admin.patch(MD, name, held.namespace, 'merge', { spec: { replicas } })
/** The row says that it is held, as the watch would write it. */
const shown = async (held: Held) =>
  void (await db().group.update({ where: { id: held.change.groupId }, data: { held: 'waiting' } }))
const carried = async (held: Held, client?: Partial<KubeClient>) => {
  await shown(held)
  await carryScaling(await view(held, client), () => false)
}
const grown = async (held: Held) => growRound(await view(held), () => false)
const setsOf = async ({ namespace }: Held) =>
  (await list(MS, namespace)).map(({ spec, metadata }) => ({
    replicas: spec?.replicas,
    mark: metadata.annotations?.[SCALED],
  }))
const versions = async ({ namespace }: Held) =>
  (await list(MACHINES, namespace))
    .filter(
      ({ metadata }) => !metadata.deletionTimestamp && !('cluster.x-k8s.io/control-plane' in (metadata.labels ?? {})),
    )
    .map(({ spec }) => spec?.version)
const scaling = async (held: Held) =>
  (await db().group.findUniqueOrThrow({ where: { id: held.change.groupId } })).scaling
const audited = async (id: string) =>
  (
    await db().auditEvent.findMany({
      where: { targetId: id, action: { startsWith: 'scaling.' } },
      orderBy: { id: 'asc' },
    })
  ).map(({ action, result }) => `${action} ${result}`)
const skipped = async ({ namespace }: Held) =>
  (await list(MS, namespace)).map(({ metadata: { annotations = {} } }) => [
    annotations[SKIP_PREFLIGHT],
    annotations[SKIPPED],
  ])

describe('a held group that its policy lets scale', () => {
  test('grows with machines of the revision that it has, once, on record; and shrinks', async () => {
    const held = await at.held()
    await says(held, GOES_ON)
    await scale(held, 3)
    await carried(held)
    await carried(held)
    expect(await setsOf(held)).toEqual([{ replicas: 3, mark: '+2 of 1 at 3' }])
    await vi.waitFor(async () => expect(await versions(held)).toEqual(['v1.34.0', 'v1.34.0', 'v1.34.0']), 10_000)
    await expectHeld(held)
    expect(await audited(held.change.groupId)).toEqual(['scaling.carry ok', 'scaling.carried ok'])
    expect(await scaling(held)).toMatchObject({
      ...{ from: 1, to: 3, trouble: null },
      // Also after a roll back it is the set that tells which machines these are.
      makes: expect.stringMatching(/^v1\.34\.0, template \S+$/),
    })
    const shown = await getUpdate(ada, held.change.id)
    expect(shown.held?.scaling).toMatchObject({ carried: { from: 1, to: 3 } })
    expect(shown.timeline.map(({ text }) => text).join()).toContain('Scaled while it was held: 1 → 3 machines')
    await scale(held, 1)
    await carried(held)
    await vi.waitFor(async () => expect(await versions(held)).toHaveLength(1), 10_000)
    expect(await setsOf(held)).toEqual([{ replicas: 1, mark: '+0 of 1 at 1' }])
    expect(await scaling(held)).toMatchObject({ from: 1, to: 1 })
  })

  test('is handed back when it is let go: its own controller goes on from there, and the mark goes', async () => {
    const held = await at.held()
    await says(held, GOES_ON)
    await scale(held, 2)
    await carried(held)
    const { id, groupId } = held.change
    const replicas = 2
    await approveChange(ada, { ...inputFor(held), changeId: id, replicas })
    await vi.waitFor(async () => expect(await versions(held)).toEqual(['v1.34.1', 'v1.34.1']), 20_000)
    await carried(held)
    // The old one may be gone by then.
    expect((await setsOf(held)).filter(({ mark }) => mark !== undefined)).toEqual([])
    expect(await scaling(held)).toBeNull()
    expect((await audited(groupId)).at(-1)).toBe('scaling.handed-back ok')
  })

  test('where the row was not written after the machine set was, nothing is carried twice', async () => {
    const held = await at.held()
    await says(held, GOES_ON)
    await scale(held, 3)
    const spy = vi.spyOn(notify, 'announce').mockImplementation(async (_tx, { topic }) => {
      if (topic === 'changes') return Promise.reject(new Error('the database is away'))
    })
    await carried(held)
    spy.mockRestore()
    expect(await scaling(held)).toBeNull()
    await carried(held)
    expect(await setsOf(held)).toEqual([{ replicas: 3, mark: '+2 of 1 at 3' }])
  })

  test('what the API server refuses is said in its words, and nothing else is', async () => {
    const held = await at.held()
    await says(held, GOES_ON)
    await scale(held, 3)
    const patch = vi.fn(() =>
      Promise.reject(new KubeError(403, { message: 'machinesets is forbidden' } as Status, 'PATCH')),
    )
    await carried(held, { patch })
    await carried(held, { patch })
    expect(patch).toHaveBeenCalledOnce()
    expect((await getUpdate(ada, held.change.id)).held?.scaling?.carried).toMatchObject({
      at: null,
      trouble: expect.stringContaining('machinesets is forbidden') as string,
    })
  })

  test('nor is it known whether a write came through that the API server answered with an error of its own', async () => {
    const held = await at.held()
    await says(held, GOES_ON)
    await scale(held, 3)
    const timeout = new KubeError(504, { message: 'Timeout: request did not complete' } as Status, 'PATCH')
    await carried(held, { patch: () => Promise.reject(timeout) })
    expect(await scaling(held)).toMatchObject({
      trouble: 'It is not known whether the API server took that: Timeout: request did not complete',
    })
    expect(await audited(held.change.groupId)).toEqual(['scaling.carry ok', 'scaling.carried failed'])
  })

  test('what it goes by and cannot be read, that is said once it lasts, and it is tried in a while', async () => {
    const held = await at.held()
    await says(held, GOES_ON)
    await scale(held, 3)
    const get = vi.fn(() =>
      Promise.reject(new KubeError(500, { message: 'conversion webhook failed' } as Status, 'GET')),
    )
    const now = vi.spyOn(Date, 'now')
    for (const s of [0, 20, 22]) {
      now.mockReturnValue(performance.timeOrigin + performance.now() + s * 1000)
      await carried(held, { get })
    }
    now.mockRestore()
    expect(get).toHaveBeenCalledTimes(2)
    expect(await scaling(held)).toMatchObject({
      at: null,
      trouble: 'What that goes by cannot be read: conversion webhook failed',
    })
  })

  test('while the watch of machine sets is behind, what is carried already leaves no trace again', async () => {
    const held = await at.held()
    await says(held, GOES_ON)
    await scale(held, 3)
    await shown(held)
    const old = await view(held)
    for (let i = 0; i < 3; i++) await carryScaling(old, () => false)
    expect(await audited(held.change.groupId)).toEqual(['scaling.carry ok', 'scaling.carried ok'])
  })

  test('what is paused while others write to its machine set is left to its own controller, too', async () => {
    const held = await at.held()
    await says(held, { ...GOES_ON, approvals: 1 })
    await scale(held, 3)
    const { client: real } = await plain()
    const before = await setsOf(held)
    let tries = 0
    const patch: KubeClient['patch'] = async (...args) => {
      if (++tries === 1) {
        const metadata = { annotations: { [PAUSED]: 'ada' } }
        await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { paused: true }, metadata })
        await at.cluster.admin.patch(MS, args[1], held.namespace, 'merge', { metadata: { annotations: { told: '1' } } })
      }
      return real.patch(...args)
    }
    await carried(held, { patch })
    expect(tries).toBe(1)
    expect((await setsOf(held)).map(({ mark }) => mark)).toEqual(before.map(() => undefined))
  })

  test('what was released in that moment is left to its own controller', async () => {
    const held = await at.held()
    await says(held, GOES_ON)
    await scale(held, 3)
    const seen = await view(held)
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', {
      spec: { paused: true },
      metadata: { annotations: { [PAUSED]: 'ada' } },
    })
    await carryScaling(seen, () => false)
    expect((await setsOf(held)).map(({ mark }) => mark)).toEqual([undefined])
  })
})

test('a mark of before counts for nothing at a later hold: no machine goes that is wanted', async () => {
  const held = await at.held()
  await says(held, GOES_ON)
  await scale(held, 3)
  await carried(held)
  // Wanted back and let go in one write: its controller scales it down, and was told what it was told before.
  const set = (await list(MS, held.namespace))[0]!.metadata.name
  await at.cluster.admin.patch(MS, set, held.namespace, 'merge', { spec: { replicas: 1 } })
  await scale(held, 1)
  await carried(held)
  expect((await setsOf(held)).map(({ replicas }) => replicas)).toEqual([1])
})

test.each([
  ['no policy says so', () => Promise.resolve()],
  ['another one takes it back', (held: Held) => says(held, { scaleWhileHeld: false })],
])('it waits where %s', async (_, write) => {
  const held = await at.held()
  await write(held)
  await scale(held, 3)
  await carried(held)
  expect(await setsOf(held)).toEqual([{ replicas: 1, mark: undefined }])
  const shown = (await getUpdate(ada, held.change.id)).held
  expect(shown?.scaling).toBeNull()
  expect(shown?.suspended.join(' ')).toContain('does not scale')
  await lifted()
})

test('nor where somebody paused it besides', async () => {
  const held = await at.held()
  await says(held, GOES_ON)
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', {
    metadata: { annotations: { [PAUSED]: 'ada' } },
  })
  await scale(held, 3)
  await carried(held)
  expect(await setsOf(held)).toEqual([{ replicas: 1, mark: undefined }])
})

describe('while a higher version of their control plane waits', () => {
  const worker = (held: Held) => held.name.replace(/-cp$/, '-md')
  /** The rows that the watch would write. */
  async function withRows(held: Held) {
    const [group] = await list(MD, held.namespace)
    const { uid, name, namespace = '', resourceVersion } = group!.metadata
    const { workloadCluster, clusterId } = held.change
    const like = { clusterId, workloadCluster, namespace, resourceVersion, createdAt: new Date() }
    await db().group.create({
      data: { ...like, id: uid, kind: 'MachineDeployment', apiVersion: group!.apiVersion, name, desiredReplicas: 3 },
    })
    await shown(held)
    return uid
  }
  const input = ({ change: { id, fingerprint } }: Held) => ({ changeId: id, fingerprint })

  test('worker groups get none, until somebody lets them; taken back, everything is as it was', async () => {
    const held = await at.held('KubeadmControlPlane')
    const groupId = await withRows(held)
    await scale(held, 3, worker(held))
    await grown(held)
    expect(await skipped(held)).toEqual([[undefined, undefined]])
    expect((await getUpdate(ada, held.change.id)).held?.workers).toMatchObject({ groups: 1, missing: 3, by: null })
    await letWorkersGrow(ada, input(held))
    await grown(held)
    await grown(held)
    expect(await skipped(held)).toEqual([[CHECKS.join(','), '']])
    await vi.waitFor(async () => expect(await versions(held)).toEqual(['v1.34.0', 'v1.34.0', 'v1.34.0']), 10_000)
    expect(await audited(groupId)).toEqual(['scaling.skip-checks ok', 'scaling.checks-skipped ok'])
    expect((await heldFor(held.change))?.workers).toMatchObject({ by: 'Ada', trouble: null })
    await holdWorkers(ada, { changeId: held.change.id })
    await grown(held)
    expect(await skipped(held)).toEqual([[undefined, undefined]])
    await expectHeld(held)
    const { timeline } = await getChange(ada, { id: held.change.id })
    const told = timeline.filter(({ text }) => text.includes('worker groups get machines'))
    expect(told.map(({ text }) => text.split(' ', 2).join(' '))).toEqual(['Ada let', 'Ada took'])
  })

  test.each([
    ['v1.34.7', true],
    ['v1.33.9', false],
  ])('workers of v1.34.0 can join a control plane of %s: %s', async (fromVersion, joins) => {
    const held = await at.held('KubeadmControlPlane')
    await withRows(held)
    await letWorkersGrow(ada, input(held))
    await db().change.update({ where: { id: held.change.id }, data: { fromVersion } })
    await grown(held)
    expect(await skipped(held)).toEqual([joins ? [CHECKS.join(','), ''] : [undefined, undefined]])
  })

  test('as soon as the control plane begins, the checks are made again; what somebody wrote there stays', async () => {
    const held = await at.held('KubeadmControlPlane')
    await withRows(held)
    const [set] = await list(MS, held.namespace)
    const annotate = (value: string) =>
      at.cluster.admin.patch(MS, set!.metadata.name, held.namespace, 'merge', {
        metadata: { annotations: { [SKIP_PREFLIGHT]: value } },
      })
    await annotate('KubernetesVersionSkew')
    await letWorkersGrow(ada, input(held))
    await grown(held)
    expect(await skipped(held)).toEqual([[`KubernetesVersionSkew,${CHECKS.join(',')}`, 'KubernetesVersionSkew']])
    await db().change.update({ where: { id: held.change.id }, data: { state: 'running' } })
    await grown(held)
    expect(await skipped(held)).toEqual([['KubernetesVersionSkew', undefined]])
  })

  test('by whose clock ever it was said, it ends as the control plane is let go', async () => {
    const held = await at.held('KubeadmControlPlane')
    await withRows(held)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
    await letWorkersGrow(ada, input(held)).finally(() => vi.useRealTimers())
    expect(await growthOf(db(), held.change.id)).toEqual({ grows: true })
    const { id: changeId, fingerprint } = held.change
    const by = { mode: 'replace', actorId: 'bo', actorName: 'Bo', acceptedAt: await databaseNow(db()) }
    await db().decision.create({ data: { changeId, fingerprint, state: 'voided', ...by } })
    expect(await growthOf(db(), held.change.id)).toEqual({ grows: false })
  })

  test('its worker groups are told what keeps them; half way, that nobody can let them grow any more', async () => {
    const held = await at.held('KubeadmControlPlane')
    const groupId = await withRows(held)
    const { clusterId, workloadCluster, namespace, groupName } = held.change
    const { id: _, ...like } = held.change as unknown as Prisma.ChangeCreateManyInput
    const { id } = await db().change.create({
      data: { ...like, groupId, groupKind: 'MachineDeployment', groupName: worker(held), fingerprint: 'w' },
    })
    const told = () => blockedBy({ id, groupKind: 'MachineDeployment', fromVersion: null, toVersion: null })
    const by = { changeId: held.change.id, name: groupName, version: 'v1.34.1' }
    expect(await told()).toEqual({ ...by, begun: false, rejected: false, helps: true })
    // What got stuck on it does not pass by itself, and says where it is decided.
    const stuckReason =
      'MachineSet w: Scaling up is blocked because: cp is upgrading ("ControlPlaneIsStable" preflight check failed).'
    await db().change.update({ where: { id }, data: { state: 'stuck', stuckReason } })
    const { stuckOn } = await getChange(ada, { id })
    expect(stuckOn).toMatchObject({
      plane: by,
      trouble: { id: 'preflight-control-plane', terminal: true, normally: null },
    })
    const of = { clusterId, workloadCluster, namespace, groupName, groupKind: 'KubeadmControlPlane' }
    await db().machine.create({
      data: {
        ...{ ...of, id: randomUUID(), name: 'cp-1', provider: 'cluster.x-k8s.io', resourceVersion: '1' },
        ...{ phase: 'Running', state: 'ready', sentence: '', createdAt: new Date(), version: 'v1.34.1' },
      },
    })
    expect(await told()).toMatchObject({ begun: true })
  })

  test('only of what is held, goes up, and was looked at; by those who may', async () => {
    const held = await at.held('KubeadmControlPlane')
    expect((await failure(letWorkersGrow(person('op', 'operator'), input(held)))).code).toBe('forbidden')
    expect((await failure(letWorkersGrow(ada, { ...input(held), fingerprint: 'a'.repeat(64) }))).code).toBe('conflict')
    expect((await failure(letWorkersGrow(ada, input(held)))).message).toMatch(/^No held version/)
    await withRows(held)
    await letWorkersGrow(ada, input(held))
    expect((await failure(letWorkersGrow(bo, input(held)))).message).toBe('Ada has let them already.')
    const workers = await at.held()
    expect((await failure(letWorkersGrow(ada, input(workers)))).message).toMatch(/^No held version/)
    expect((await failure(holdWorkers(ada, { changeId: workers.change.id }))).code).toBe('conflict')
  })
})
