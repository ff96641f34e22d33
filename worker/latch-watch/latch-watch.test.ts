import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK, SEEN_STORED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { HELD_AGAIN } from '@/lib/services/changes/held-again'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { installLatch } from '@/lib/services/latch/install-latch'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { as } from '@/testenv/deciding'
import { until } from '@/testenv/process'
import { KCP, MD } from '@/testenv/suites/watching'
import { calendarConsumer } from '../calendar'
import { plannerConsumer } from '../planner'
import { startWorker, type Worker } from '../worker'
import { latchWatchConsumer } from './index'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })
useTestDatabase()

const OLD = 'v1.34.0'
const GOVERNED = 'drydock.dev/governed'
const LABEL = { [GOVERNED]: 'true' }
const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces' }
let cluster: SandboxTestCluster
let clusterId: string
let worker: Worker | null = null

const start = async () =>
  void (worker = await startWorker({ consumers: [latchWatchConsumer, plannerConsumer, calendarConsumer], parts: [] }))
const stop = async () => {
  await worker?.stop()
  worker = null
}

beforeAll(async () => {
  cluster = await sandboxTestCluster({ kubernetes: 'v1.29.14', speed: 10 })
  clusterId = (await addCluster(as('admin'), { name: 'old', kubeconfig: cluster.kubeconfig })).clusterId
  await start()
  const governed = { governs: 'namespace-label', labelKey: 'drydock.dev/governed', labelValue: 'true' }
  const { status } = await installLatch(as('admin'), { clusterId, ...governed })
  expect(status).toMatchObject({ state: 'watching', watch: true, proved: null })
})
afterAll(async () => {
  await stop()
  await closeClients()
  await cluster?.stop()
})

interface Group {
  namespace: string
  name: string
  uid: string
  resource: typeof MD
}

/** A worker group that the watch knows. */
async function group(workers = 2, labels: Record<string, string> = LABEL): Promise<Group> {
  const namespace = await cluster.namespace(labels)
  const name = `w${namespace.slice(2)}`
  const { machineDeployment } = await cluster.workloadCluster({
    ...{ namespace, name, version: OLD, controlPlane: { replicas: 1 }, workers: { replicas: workers } },
  })
  const { metadata } = await cluster.admin.get(MD, machineDeployment, namespace)
  const of = { namespace, name: machineDeployment, uid: metadata.uid, resource: MD }
  await until('the watch to know it', async () => (await row(of))?.watched != null, { every: 50 })
  return of
}

const row = ({ uid }: Group) => db().group.findUnique({ where: { id: uid } })
const read = ({ resource, name, namespace }: Group) => cluster.admin.get(resource, name, namespace)
const annotations = async (of: Group) => (await read(of)).metadata.annotations ?? {}
const patch = ({ resource, name, namespace }: Group, body: object): Promise<KubeObject> =>
  cluster.admin.patch(resource, name, namespace, 'merge', body as never)
const version = (v: string) => ({ spec: { template: { spec: { version: v } } } })
const annotated = (of: Group, set: Record<string, string | null>) => patch(of, { metadata: { annotations: set } })
const held = (of: Group) =>
  until('it to be paused', async () => HELD in (await annotations(of)) && PAUSED in (await annotations(of)), {
    every: 20,
  })
const change = async (of: Group, state: string, to?: string) => {
  const find = () =>
    db().change.findFirst({
      where: { groupId: of.uid, state, ...(to ? { toVersion: to } : {}) },
      orderBy: { detectedAt: 'desc' },
    })
  await until(`a change that is ${state}`, async () => (await find()) !== null, { ms: 60_000, every: 50 })
  return (await find())!
}
const approve = async (of: Group, to: string) => {
  const { id, fingerprint } = await change(of, 'waiting', to)
  return approveChange(as('approver'), { changeId: id, fingerprint, mode: 'replace' })
}
const actions = async (of: Group) =>
  (await db().auditEvent.findMany({ where: { targetId: of.uid }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )

test('a governed group that changes is paused, waits, is let go by an approval, and is not held again', async () => {
  const of = await group()
  await patch(of, version('v1.34.1'))
  await held(of)
  expect(await annotations(of)).toMatchObject({ [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: SEEN_STORED })
  await expect.poll(() => actions(of)).toEqual(['change.held ok'])
  const events = { group: '', version: 'v1', plural: 'events' }
  const told = async () => JSON.stringify((await cluster.admin.list(events, of.namespace)).items)
  await expect.poll(told).toContain('DrydockHeld')
  const waiting = await change(of, 'waiting', 'v1.34.1')
  expect(waiting.heldBy).toBe('latch')
  expect(await db().auditEvent.count({ where: { action: 'change.not-held', targetId: waiting.id } })).toBe(0)
  // From its group's row, which is written on its own.
  const page = () => getUpdate(as('viewer'), waiting.id)
  await expect.poll(page).toMatchObject({ heldWords: SEEN_STORED, unpaused: null })

  expect(await approve(of, 'v1.34.1')).toMatchObject({ error: null })
  await change(of, 'done', 'v1.34.1')
  expect(await annotations(of)).not.toHaveProperty([HELD])
  expect(await actions(of)).toHaveLength(1)
})

test('a second change while the first one is released and rolls is held again', async () => {
  const of = await group(3)
  await patch(of, version('v1.34.1'))
  await approve(of, 'v1.34.1')
  await change(of, 'running', 'v1.34.1')
  await patch(of, version('v1.34.2'))
  await held(of)
  await change(of, 'waiting', 'v1.34.2')
  await approve(of, 'v1.34.2')
  await change(of, 'done', 'v1.34.2')
})

test('two quick changes, and one that is taken back at once', async () => {
  const of = await group()
  await patch(of, version('v1.34.1'))
  await patch(of, version('v1.34.2'))
  await held(of)
  await change(of, 'waiting', 'v1.34.2')
  expect((await row(of))!.letGo).not.toBe(rolloutDigest(await read(of)))
  // Taken back before any machine had begun, or with one that has: that one waits for somebody.
  await patch(of, version(OLD))
  const settled = async () => {
    const open = await db().change.findFirst({ where: { groupId: of.uid, state: 'waiting' } })
    return open === null ? !(HELD in (await annotations(of))) : open.toVersion === OLD
  }
  await until('what was taken back to be let go, or to wait', settled, { ms: 30_000 })
})

test('what is not governed, and what rolls nothing out, is left alone', async () => {
  const free = await group(1, {})
  await patch(free, version('v1.34.1'))
  await change(free, 'done', 'v1.34.1')
  expect(await actions(free)).toEqual([])
  const of = await group(1)
  await patch(of, { spec: { replicas: 2 }, metadata: { labels: { team: 'blue' } } })
  await until('it to grow', async () => (await read(of)).status?.readyReplicas === 2, { ms: 60_000 })
  expect(await actions(of)).toEqual([])
})

test('the pause of a person stays theirs; a pause that is taken away while the words stay comes back', async () => {
  const of = await group(1)
  await annotated(of, { [PAUSED]: 'maintenance' })
  await patch(of, version('v1.34.1'))
  await held(of)
  expect((await annotations(of))[PAUSED]).toBe('maintenance')
  await annotated(of, { [PAUSED]: null })
  await held(of)
  expect(await annotations(of)).toMatchObject({ [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: SEEN_STORED })
})

/** The whole object as a pipeline's file has it (`kubectl replace`), without what others added. */
const replaced = async (of: Group, file: KubeObject) => {
  const kept = file.metadata.annotations ?? {}
  const gone = Object.keys(await annotations(of)).filter((key) => !(key in kept))
  const cleared = Object.fromEntries(gone.map((key) => [key, null]))
  await patch(of, { spec: file.spec, metadata: { annotations: cleared } } as never)
}
const heldAgain = (id: string, times: number) =>
  until(
    `that to be on record ${times} times`,
    async () => (await db().auditEvent.count({ where: { targetId: id, action: HELD_AGAIN, result: 'ok' } })) === times,
  )

test('a hold that somebody takes away is put back each time, on record and counted, until somebody approves', async () => {
  const of = await group(3)
  // However long a moment takes, no new machine is through in it.
  await patch(of, { spec: { template: { spec: { version: 'v1.34.1', minReadySeconds: 1_000_000 } } } })
  const { id } = await change(of, 'waiting', 'v1.34.1')
  const file = await read(of)
  delete file.metadata.annotations
  for (const times of [1, 2]) {
    // The pipeline runs again; nothing changed in Git.
    await replaced(of, file)
    await heldAgain(id, times)
    await held(of)
  }
  expect(await db().change.findUnique({ where: { id } })).toMatchObject({ state: 'waiting', heldBy: 'latch' })
  expect(await db().auditEvent.count({ where: { targetId: id, action: 'change.let-go' } })).toBe(0)
  const told = await db().auditEvent.findFirst({ where: { targetId: id, action: HELD_AGAIN } })
  expect(told?.reason).toMatch(/^Its hold was taken away outside Drydock \(.*\), and nobody let it go here\.$/)
  const [need] = (await needsYou(as('approver'), {})).filter((one) => one.id === id)
  expect(need?.sentence).toMatch(/^Its hold was taken away 2 times, and put back\. Waiting for your approval/)
  expect((await getUpdate(as('viewer'), id)).timeline).toContainEqual(
    expect.objectContaining({ tone: 'bad', text: expect.stringContaining('Held again: its hold was taken') as string }),
  )
  await approve(of, 'v1.34.1')
  await change(of, 'running', 'v1.34.1')
  expect(await annotations(of)).not.toHaveProperty([HELD])
})

test('a PUT that takes the hold away and brings something else is held as what it brings', async () => {
  const of = await group(1)
  await patch(of, version('v1.34.2'))
  await change(of, 'waiting', 'v1.34.2')
  await patch(of, { metadata: { annotations: { [PAUSED]: null, [HELD]: null } }, ...version('v1.34.3') })
  await held(of)
  await change(of, 'waiting', 'v1.34.3')
})

test('what a freeze holds again, and what was rejected, stays held whoever takes that away', async () => {
  const of = await group(3)
  await patch(of, { spec: { template: { spec: { minReadySeconds: 1_000_000 } } } })
  await patch(of, version('v1.34.1'))
  await approve(of, 'v1.34.1')
  const { id } = await change(of, 'running', 'v1.34.1')
  const starts = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16)
  const freezes = [{ starts, lasts: '2h', timeZone: 'UTC', why: 'the sale' }]
  await savePolicy(as('admin'), { name: 'frozen', spec: { select: { names: [of.name] }, freezes } })
  await held(of)
  await change(of, 'waiting', 'v1.34.1')
  await annotated(of, { [PAUSED]: null, [HELD]: null })
  await heldAgain(id, 1)
  await held(of)
  // What it was approved with stands, and its time has not come.
  const { fingerprint, ...now } = await db().change.findUniqueOrThrow({ where: { id } })
  expect(now).toMatchObject({ state: 'waiting', dueMode: 'replace' })

  await rejectChange(as('approver'), { changeId: id, fingerprint, reason: 'no' })
  const saysRejected = async () => (await annotations(of))[HELD]?.includes('rejected by Ada: no') ?? false
  await until('that to be written', saysRejected)
  await annotated(of, { [PAUSED]: null, [HELD]: null })
  await heldAgain(id, 2)
  await until('it to say so again', saysRejected)
  await held(of)
  expect((await db().change.findUniqueOrThrow({ where: { id } })).state).toBe('rejected')
  await db().rolloutPolicy.deleteMany({})
})

test('nobody holds again what is not governed any more', async () => {
  const of = await group(1)
  await patch(of, version('v1.34.1'))
  const { id } = await change(of, 'waiting', 'v1.34.1')
  await cluster.admin.patch(NAMESPACES, of.namespace, undefined, 'merge', {
    metadata: { labels: { [GOVERNED]: null } },
  })
  await until('that to be known', async () => (await row(of))?.governed === false)
  await annotated(of, { [PAUSED]: null, [HELD]: null })
  await change(of, 'done', 'v1.34.1')
  expect(await db().auditEvent.count({ where: { targetId: id, action: HELD_AGAIN } })).toBe(0)
})

test('rejected, it stays held, whatever the watch says', async () => {
  const of = await group(1)
  await patch(of, version('v1.34.1'))
  const { id, fingerprint } = await change(of, 'waiting', 'v1.34.1')
  await rejectChange(as('approver'), { changeId: id, fingerprint, reason: 'no' })
  await until('that to be written', async () => (await annotations(of))[HELD]?.includes('rejected') ?? false)
  expect(await annotations(of)).toHaveProperty([PAUSED])
})

test('a worker that starts when changes are rolling already holds what is left of them, and says what had begun', async () => {
  const [of, other] = [await group(4), await group(1)]
  await stop()
  await patch(of, version('v1.34.1'))
  await until('a machine to have begun', async () =>
    (await cluster.machines(of.namespace, of.name.replace('-md', ''))).some((m) => m.spec?.version === 'v1.34.1'),
  )
  await start()
  await held(of)
  const { id } = await change(of, 'waiting', 'v1.34.1')
  const begun = async () => {
    const { late } = await getUpdate(as('viewer'), id)
    return late !== null && late.there + late.coming + late.deleting > 0
  }
  await until('what had begun to be told', begun, { ms: 30_000 })
  expect(await annotations(other)).not.toHaveProperty([HELD])
  await approve(of, 'v1.34.1')
  await change(of, 'done', 'v1.34.1')
})

test('a group that came while nobody watched is where it begins; one that was changed since is held', async () => {
  await stop()
  const namespace = await cluster.namespace(LABEL)
  const make = async (name: string): Promise<Group> => {
    const { machineDeployment } = await cluster.workloadCluster({
      ...{ namespace, name, version: OLD, controlPlane: { replicas: 1 }, workers: { replicas: 3 } },
    })
    const { metadata } = await cluster.admin.get(MD, machineDeployment, namespace)
    return { namespace, name: machineDeployment, uid: metadata.uid, resource: MD }
  }
  const [still, changed] = [await make('still'), await make('changed')]
  await patch(changed, version('v1.34.1'))
  await start()
  await held(changed)
  await until('the other one to be known', async () => (await row(still))?.watched != null)
  expect(await annotations(still)).not.toHaveProperty([HELD])
})

test('control planes are held so, too', async () => {
  const workers = await group(1)
  const name = workers.name.replace('-md', '-cp')
  const { metadata } = await cluster.admin.get(KCP, name, workers.namespace)
  const of: Group = { ...workers, name, uid: metadata.uid, resource: KCP }
  await until('the watch to know it', async () => (await row(of))?.watched != null)
  await patch(of, { spec: { version: 'v1.34.1' } })
  await held(of)
  await change(of, 'waiting', 'v1.34.1')
})
