import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { Change, Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { PolicySpec } from '@/lib/domain/policies'
import type { JsonObject } from '@/lib/domain/json'
import { approveChange } from '@/lib/services/changes/approve-change'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { overrideTimes } from '@/lib/services/changes/override-times'
import { savePolicy } from '@/lib/services/policies/save-policy'
import type { Asking } from '@/lib/services/upgrades/lifecycle'
import { ada, bo, CLOSED, cy, FROZEN } from '@/testenv/timed'
import { answerAsked, answerTold } from './answer-lifecycle'
import { Hold } from './constants'
import { GateLog } from './record'

useTestDatabase()

const NS = 'fleet'
const [OLD, NEW] = ['v1.34.0', 'v1.34.1']
const GATES = (state: 'on' | 'off') => {
  const gate = { state, how: '' }
  return { gates: { inPlaceUpdates: gate, runtimeSdk: { state: 'on', how: '' } }, clusterApi: { version: 'v1.14.0' } }
}
let clusterId = ''

beforeEach(async () => {
  await db().rolloutPolicy.deleteMany({})
  clusterId = randomUUID()
  await cluster('on', 'policy-v1')
})

async function cluster(gates: 'on' | 'off', latchForm: string): Promise<void> {
  const discovery = GATES(gates) as unknown as Prisma.InputJsonValue
  const data = {
    discovery,
    latchForm,
    latchStatus: { state: 'intact' },
    latchCheckedAt: new Date(),
    gateState: 'registered',
  }
  const create = { id: clusterId, name: `m-${clusterId}`, server: 'https://127.0.0.1:1', ...data }
  await db().managementCluster.upsert({ where: { id: clusterId }, create, update: data })
}

async function group(
  kind: string,
  name: string,
  more: Partial<Prisma.GroupUncheckedCreateInput> = {},
): Promise<string> {
  const id = randomUUID()
  await db().group.create({
    data: {
      ...{ id, clusterId, kind, name, namespace: NS, workloadCluster: 'c', version: OLD, governed: true },
      ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', resourceVersion: '1', createdAt: new Date(), ...more },
    },
  })
  return id
}

const latch = (state: string) =>
  db().managementCluster.update({
    where: { id: clusterId },
    data: { latchStatus: { state }, latchCheckedAt: new Date() },
  })

/** Its change as the planner found it, at its hook. */
async function waiting(groupId: string, more: Partial<Prisma.ChangeUncheckedCreateInput> = {}): Promise<Change> {
  const { kind, name } = await db().group.findUniqueOrThrow({ where: { id: groupId } })
  const fields = [{ object: 'machine', path: 'spec.version', current: OLD, desired: NEW }]
  const fingerprint = randomBytes(32).toString('hex')
  const way = { counts: { replace: 1 }, created: 1, deleted: 1, headline: 'x' }
  return db().change.create({
    data: {
      ...{ clusterId, groupId, groupKind: kind, groupName: name, namespace: NS, workloadCluster: 'c', fingerprint },
      ...{ state: 'waiting', summary: `${OLD} → ${NEW}`, fromVersion: OLD, toVersion: NEW, heldBy: 'hook' },
      changeSet: { pairs: [{ from: 'a', machines: 1, fingerprint, changes: fields }], fields: [] },
      outlook: {
        replace: way,
        inPlace: { ...way, counts: { 'in-place': 1 }, created: 0, deleted: 0 },
        replicas: 1,
      } as unknown as Prisma.InputJsonValue,
      ...{ resourceVersion: '1', machines: 1, ...more },
    },
  })
}

const approve = ({ id, fingerprint, groupName }: Change, by = ada) =>
  approveChange(by, { changeId: id, fingerprint, mode: 'replace', typedName: groupName })
const policy = (spec: PolicySpec) => savePolicy(cy, { name: `p-${randomUUID()}`, spec })

/** `says`: annotations by which its people keep one of them from getting the version, by name. */
function request(topology: string[] = [], says: Record<string, string> = {}): JsonObject {
  const machineDeployments = topology.map((name) => ({
    ...{ name, class: 'x' },
    ...(says[name] ? { metadata: { annotations: { [`topology.cluster.x-k8s.io/${says[name]}`]: 'true' } } } : {}),
  }))
  return {
    cluster: {
      metadata: { namespace: NS, name: 'c' },
      spec: {
        controlPlaneRef: { kind: 'KubeadmControlPlane', name: 'cp' },
        topology: { workers: { machineDeployments } },
      },
    },
    ...{ fromKubernetesVersion: OLD, toKubernetesVersion: NEW, controlPlaneUpgrades: [{ version: NEW }] },
  }
}

/** Why it is blocked; null: it goes on. */
async function blocked(hook: Asking = 'BeforeClusterUpgrade', body = request()): Promise<string | null> {
  const { response } = await answerAsked(clusterId, hook, body)
  expect(response).toMatchObject({ status: 'Success', kind: `${hook}Response` })
  return response.retryAfterSeconds ? String(response.message) : null
}

describe('before a version is handed down to a control plane', () => {
  test('it waits for what its policies ask, and for nothing else', async () => {
    const change = await waiting(await group('KubeadmControlPlane', 'cp'))
    expect(await blocked()).toBe('drydock: cp: waiting for approval')
    await policy({ select: {}, approvals: 2 })
    await approve(change)
    expect(await blocked()).toContain('waiting for approval')
    await approve(change, bo)
    expect(await blocked()).toBeNull()
    expect(await blocked('BeforeControlPlaneUpgrade')).toBeNull()
    await withdrawApproval(bo, { changeId: change.id })
    expect(await blocked()).toBe('drydock: cp: waiting for approval')
    const answers = await db().auditEvent.findMany({ where: { targetId: change.id, action: 'change.handed-down' } })
    expect(answers.map(({ details }) => details)).toMatchObject([
      { hook: 'BeforeClusterUpgrade', version: NEW, mode: 'replace' },
      { hook: 'BeforeControlPlaneUpgrade', version: NEW, mode: 'replace' },
    ])
  })

  test('not outside its windows, in a freeze, or while somebody paused it; overridden, it goes', async () => {
    const change = await waiting(await group('KubeadmControlPlane', 'cp'))
    await approve(change)
    await policy({ select: {}, ...CLOSED })
    expect(await blocked()).toContain('outside the windows')
    await policy({ select: {}, ...FROZEN })
    expect(await blocked()).toMatch(/frozen|outside the windows/)
    await overrideTimes(cy, { changeId: change.id, fingerprint: change.fingerprint, reason: 'a hole' })
    expect(await blocked()).toBeNull()
    await db().change.update({ where: { id: change.id }, data: { pausedAt: new Date(), pausedBy: 'Cy' } })
    expect(await blocked()).toContain('paused by Cy')
  })

  test('a control plane does not go by itself, nor what people had a word on; others do where nobody is asked', async () => {
    await waiting(await group('KubeadmControlPlane', 'cp'))
    const workers = await waiting(await group('MachineDeployment', 'c-a-1', { topologyName: 'a', replicas: 1 }))
    await policy({ select: {}, approvals: 0 })
    expect(await blocked()).toContain('waiting for approval')
    const asks = () => blocked('BeforeWorkersUpgrade', request(['a']))
    expect(await asks()).toBeNull()
    await db().decision.create({
      data: {
        ...{ changeId: workers.id, fingerprint: workers.fingerprint, mode: 'reject', state: 'voided' },
        ...{ actorId: 'a', actorName: 'Ada' },
      },
    })
    expect(await asks()).toContain('waiting for approval')
    await db().change.update({ where: { id: workers.id }, data: { state: 'rejected' } })
    expect(await asks()).toContain('rejected')
  })

  test('not for another version than was looked at, and not in the middle of another update', async () => {
    const change = await waiting(await group('KubeadmControlPlane', 'cp'))
    await approve(change)
    await db().change.update({ where: { id: change.id }, data: { toVersion: 'v1.34.2' } })
    expect(await blocked()).toContain('Drydock expected v1.34.2')
    await db().change.update({ where: { id: change.id }, data: { toVersion: NEW, heldBy: 'latch' } })
    expect(await blocked()).toContain('an earlier update of it is not over')
    await db().change.deleteMany({})
    expect(await blocked()).toContain('not been seen')
  })

  test('what Drydock does not know yet is an error; what it does not hold goes, and other control planes do', async () => {
    await expect(blocked()).rejects.toThrow(Hold)
    const other = request()
    ;(other.cluster as { spec: { controlPlaneRef: JsonObject } }).spec.controlPlaneRef.kind = 'RKE2ControlPlane'
    expect(await blocked('BeforeClusterUpgrade', other)).toBeNull()
    await group('KubeadmControlPlane', 'cp', { governed: false })
    expect(await blocked()).toContain('not been seen')
    await cluster('off', 'policy-v1')
    expect(await blocked()).toBeNull()
    await expect(blocked('BeforeClusterUpgrade', {})).rejects.toThrow('names no Cluster')
  })

  test('what could not be looked at says why: paused by somebody, or in the middle of an update', async () => {
    const id = await group('KubeadmControlPlane', 'cp', { paused: true })
    expect(await blocked()).toContain('somebody paused it: it is looked at when that is over')
    const going = { paused: false, replicas: 3, upToDateReplicas: 2 }
    await db().group.update({ where: { id }, data: going })
    expect(await blocked()).toContain('not all of its machines are up to date yet')
    await db().group.update({ where: { id }, data: { upToDateReplicas: 3 } })
    expect(await blocked()).toContain('not been seen')
  })

  test('what cannot be looked at beforehand goes to the latch in a while, and only to one that is whole', async () => {
    await group('KubeadmControlPlane', 'cp')
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      expect(await blocked()).toContain('not been seen')
      vi.advanceTimersByTime(31_000)
      await latch('missing')
      expect(await blocked()).toContain('the latch is not whole')
      await latch('intact')
      expect(await blocked()).toBeNull()
      // Held by the gate alone a control plane makes its spare machine before anybody is asked.
      await db().group.updateMany({ where: { clusterId }, data: { governed: false } })
      expect(await blocked()).toContain('not been seen')
    } finally {
      vi.useRealTimers()
    }
  })

  test('several minor versions, of which nobody is told the steps, and which no latch would hold: what to do is said', async () => {
    await group('KubeadmControlPlane', 'cp', { governed: false })
    const body = { ...request(), toKubernetesVersion: 'v1.36.0', controlPlaneUpgrades: [{ version: 'v1.35.0' }] }
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      for (const asked of [body, request()]) expect(await blocked('BeforeClusterUpgrade', asked)).toContain('not been')
      vi.advanceTimersByTime(31_000)
      expect(await blocked('BeforeClusterUpgrade', body)).toContain('have the latch govern this group, or go up one')
      expect(await blocked()).toContain('not been seen')
      await db().group.updateMany({ where: { clusterId }, data: { governed: true } })
      expect(await blocked('BeforeClusterUpgrade', body)).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })

  test('the half minute is anew where it waited at its hook meanwhile, and where nobody asked for a while', async () => {
    const groupId = await group('KubeadmControlPlane', 'cp')
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      expect(await blocked()).toContain('not been seen')
      const change = await waiting(groupId, { state: 'rejected' })
      vi.advanceTimersByTime(31_000)
      expect(await blocked()).toContain('rejected')
      const finishedAt = new Date()
      await db().change.update({ where: { id: change.id }, data: { state: 'reverted', finishedAt } })
      expect(await blocked()).toContain('not been seen')
      vi.advanceTimersByTime(7 * 86_400_000)
      expect(await blocked()).toContain('not been seen')
    } finally {
      vi.useRealTimers()
    }
  })

  test('nothing, whoever approved it, while the latch that is to hold it is not whole', async () => {
    const change = await waiting(await group('KubeadmControlPlane', 'cp'))
    await approve(change)
    for (const state of ['missing', 'changed', 'ineffective']) {
      await latch(state)
      expect(await blocked()).toContain('the latch is not whole')
    }
    await latch('unknown')
    expect(await blocked()).toContain('whether the latch is whole is not known now')
    await latch('untried')
    expect(await blocked()).toContain('whether the latch would hold it could not be tried')
    await latch('intact')
    expect(await blocked()).toBeNull()
  })

  test('nor while nobody has looked at the latch for a while', async () => {
    await approve(await waiting(await group('KubeadmControlPlane', 'cp')))
    const checked = (seconds: number | null) =>
      db().managementCluster.update({
        where: { id: clusterId },
        data: { latchCheckedAt: seconds === null ? null : new Date(Date.now() - seconds * 1000) },
      })
    for (const seconds of [null, 150]) {
      await checked(seconds)
      expect(await blocked()).toContain('whether the latch is whole is not known now')
    }
    await checked(60)
    expect(await blocked()).toBeNull()
  })

  test('asked again and again, it is on record once', async () => {
    const change = await waiting(await group('KubeadmControlPlane', 'cp'))
    await approve(change)
    for (let i = 0; i < 5; i++) expect(await blocked()).toBeNull()
    const where = { targetId: change.id, action: 'change.handed-down' }
    expect(await db().auditEvent.count({ where })).toBe(1)
  })
})

describe('before the workers get it', () => {
  test('the one that gets it first decides, in the order of the topology', async () => {
    const [a, b] = [
      await waiting(await group('MachineDeployment', 'c-a-1', { topologyName: 'a', replicas: 1 })),
      await waiting(await group('MachineDeployment', 'c-b-2', { topologyName: 'b', replicas: 1 })),
    ]
    const asks = () => blocked('BeforeWorkersUpgrade', request(['b', 'a']))
    await approve(a)
    expect(await asks()).toBe('drydock: c-b-2: waiting for approval')
    await approve(b)
    expect(await asks()).toBeNull()
    await db().group.updateMany({ where: { name: 'c-b-2' }, data: { version: NEW } })
    await withdrawApproval(ada, { changeId: a.id })
    expect(await asks()).toContain('c-a-1')
  })

  test('not one without machines; many that ask at once are all answered', async () => {
    await group('MachineDeployment', 'c-a-1', { topologyName: 'a' })
    await waiting(await group('MachineDeployment', 'c-b-2', { topologyName: 'b', replicas: 1, desiredReplicas: 1 }))
    await policy({ select: {}, approvals: 0, ...CLOSED })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => blocked('BeforeWorkersUpgrade', request(['a', 'b']))),
    )
    for (const answer of answers) expect(answer).toMatch(/c-b-2: .*outside the windows/)
  })

  test.each(['hold-upgrade-sequence', 'defer-upgrade'])(
    'where its people say %s, the latch has to be whole all the same: it is not asked about again',
    async (says) => {
      await group('MachineDeployment', 'c-a-1', { topologyName: 'a', replicas: 1 })
      const asks = () => answerAsked(clusterId, 'BeforeWorkersUpgrade', request(['a'], { a: says }))
      await latch('missing')
      expect((await asks()).response.message).toBe('drydock: c-a-1: the latch is not whole, and would not hold it')
      await latch('intact')
      const { response, record } = await asks()
      expect(response.retryAfterSeconds).toBe(0)
      expect(record.message).toBe(`${NEW}: no group that is held here gets it now`)
      await db().group.updateMany({ where: { clusterId }, data: { version: NEW } })
      await latch('missing')
      expect((await asks()).response.retryAfterSeconds).toBe(0)
    },
  )

  test('nor does one go that the gate holds, where the latch is to hold the one after it and is not whole', async () => {
    const first = { topologyName: 'a', replicas: 1, governed: false }
    await waiting(await group('MachineDeployment', 'c-a-1', first))
    await group('MachineDeployment', 'c-b-2', { topologyName: 'b', replicas: 1 })
    await policy({ select: {}, approvals: 0, strategy: 'replace' })
    const asks = () => blocked('BeforeWorkersUpgrade', request(['a', 'b']))
    expect(await asks()).toBeNull()
    await latch('missing')
    expect(await asks()).toBe('drydock: c-b-2: the latch is not whole, and would not hold it')
  })

  test('without worker groups there is nothing to wait for', async () =>
    expect(await blocked('BeforeWorkersUpgrade')).toBeNull())
})

test('what it is told of is written down, keeps nothing, and stands on the page of its change', async () => {
  const { id } = await waiting(await group('KubeadmControlPlane', 'cp'))
  const told = answerTold('AfterControlPlaneUpgrade', { ...request(), kubernetesVersion: NEW })
  expect(told.response).toMatchObject({ status: 'Success', retryAfterSeconds: 0 })
  expect(told.record).toMatchObject({ group: 'fleet/c', answer: 'passed', message: `told of ${NEW}` })
  await db().workloadCluster.create({
    data: { id: randomUUID(), clusterId, namespace: NS, name: 'c', provider: 'cluster-api', topologyClass: 'q' },
  })
  const log = new GateLog((error) => expect.fail(String(error)))
  log.add(clusterId, 'AfterControlPlaneUpgrade', told.record)
  log.add(
    clusterId,
    'AfterWorkersUpgrade',
    answerTold('AfterWorkersUpgrade', { ...request(), kubernetesVersion: OLD }).record,
  )
  await log.flush()
  const { upgrade } = await getUpdate(ada, id)
  expect(upgrade!.told).toEqual([{ hook: 'AfterControlPlaneUpgrade', at: expect.any(String) }])
})
