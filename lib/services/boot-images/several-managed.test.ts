import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { withoutWrite } from '@/testenv/without-write'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources, startOpenShiftControllers } from '@/sandbox/openshift'
import { failure } from '@/testenv/deciding'
import { skewConsumer } from '@/worker/skew'
import { startWorker, type Worker } from '@/worker/worker'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import type { Ctx, Role } from '../context'
import { getBatch } from '../skew/get-batch'
import { previewSeveralManaged, type SeveralManagedRow } from './preview-several-managed'
import { setSeveralManaged } from './set-several-managed'

// How long it has to be there is a test of its own (steady.test.ts).
vi.mock('@/lib/domain/skew/settle', async (original) => ({ ...(await original<object>()), SETTLE_MS: 0 }))
useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const operator = as('operator')
const MC = 'machineconfigurations.operator.openshift.io'
const SETS = 'machinesets.machine.openshift.io'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const NAMES = ['atoll', 'delta'] as const

const servers: RunningApiServer[] = []
const controllers: { stop(): Promise<void> }[] = []
const ids: string[] = []
let worker: Worker

beforeAll(async () => {
  for (const name of NAMES) {
    const server = await startApiServer({
      ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources() },
      objects: openShiftFleet({ name, machines: 8 }),
      users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
    })
    servers.push(server)
    // The first records by itself, the second leaves it to people.
    const spec: JsonObject =
      name === 'atoll'
        ? { bootImageSkewEnforcement: null, managedBootImages: null }
        : { bootImageSkewEnforcement: { mode: 'None', manual: null } }
    await server.store.merge(MC, 'cluster', { spec }, SOMEBODY)
    for (const { metadata } of server.store.list(SETS))
      if (metadata.name.endsWith('gpu'))
        await server.store.delete(SETS, `${metadata.namespace}/${metadata.name}`, SOMEBODY)
    controllers.push(startOpenShiftControllers(server.store, { speed: 50, life: false, name }))
    ids.push((await addCluster(as('admin'), { name, kubeconfig: server.users.drydock!.kubeconfig })).clusterId)
  }
  const log = pino({ level: 'silent' })
  worker = await startWorker({ consumers: [skewConsumer], parts: [], intervalMs: 20, tickMs: 100, log })
  await until('both are read', async () => (await modes()).join() === 'Automatic,None')
}, 120_000)
afterAll(async () => {
  await worker?.stop()
  for (const one of controllers) await one.stop()
  await closeClients()
  for (const server of servers) await server.stop()
})

const modes = async () => {
  const cards = await db().openShiftCluster.findMany({ where: { clusterId: { in: ids } } })
  return ids.map((id) => cards.find(({ clusterId }) => clusterId === id)?.mode)
}
async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 40))) {
    const found = await probe()
    if (found) return found
  }
  throw new Error(
    `Waited in vain for ${what}: ${JSON.stringify([await modes(), await db().openShiftAction.findMany()])}`,
  )
}
const managed = () =>
  servers.map(({ store }) => {
    const { managedBootImages } = store.get(MC, 'cluster')!.spec as { managedBootImages?: JsonObject }
    const managers = (managedBootImages?.machineManagers ?? []) as { selection: { mode: string } }[]
    return managers[0]?.selection.mode
  })
const look = (more: object) =>
  previewSeveralManaged(operator, { clusters: ids.map((clusterId) => ({ clusterId })), ...more })
const looked = ({ clusterId, recordsItself, versionKind, version, preview }: SeveralManagedRow) => ({
  ...{ clusterId, recordsItself, versionKind, version, resourceVersion: preview!.resourceVersion, uid: preview!.uid },
  generation: preview!.generation ?? undefined,
})
const allSeen = (batchId: string, count: number) =>
  until('all to be taken up', async () => {
    const now = await getBatch(as('viewer'), { batchId })
    return now.length === count && now.every(({ state }) => state === 'seen')
  })

test('each is shown in its own writes, with what its own operator recorded; a slip is no matter to the others', async () => {
  const [own, other] = await look({ sets: 'None' })
  expect([own!.recordsItself, own!.preview?.steps.length, own!.preview?.dryRun.ok]).toEqual([true, 2, true])
  expect(own).toMatchObject({
    why: 'As its operator recorded it.',
    version: expect.stringMatching(/^4\.\d+\.\d+$/) as string,
  })
  expect([other!.recordsItself, other!.preview?.steps.length]).toEqual([false, 1])
  const gone = randomUUID()
  const clusters = [
    { clusterId: ids[0], versionKind: 'OCPVersion', version: '4.x' },
    { clusterId: ids[1] },
    { clusterId: gone },
  ]
  const rows = await look({ sets: 'None', clusters })
  expect(rows.map(({ preview }) => preview?.dryRun.ok)).toEqual([undefined, true, undefined])
  expect(rows[0]!.refused?.fields?.[0]).toMatchObject({ field: 'skew.version' })
  expect(rows[2]).toMatchObject({ name: 'a cluster that is gone', refused: { code: 'not-found' } })
  expect((await look({ sets: 'All' })).map(({ preview }) => preview?.steps.length)).toEqual([1, 1])
})

test('where Drydock may not write it says so, before a version is asked for', async () => {
  const clusters = [{ clusterId: ids[0], versionKind: 'OCPVersion', version: '4.x' }, { clusterId: ids[1] }]
  const [without, other] = await withoutWrite(ids[0]!, () => look({ sets: 'None', clusters }))
  expect(without).toMatchObject({
    preview: null,
    refused: { message: expect.stringContaining('may not change') as string },
  })
  expect(without!.refused?.fields).toBeUndefined()
  expect(other!.refused).toBeNull()
})

test('opted out on both: the one that was changed meanwhile stops no other, which goes through both of its writes', async () => {
  const rows = await look({ sets: 'None' })
  await servers[1]!.store.merge(MC, 'cluster', { spec: { logLevel: 'Debug' } }, SOMEBODY)
  const clusters = rows.map(looked)
  // What is on its card by then is no part of what was looked at.
  await db().openShiftCluster.update({ where: { clusterId: ids[0] }, data: { mode: 'None' } })
  const { batchId, results } = await setSeveralManaged(operator, {
    ...{ sets: 'None', clusters, reason: 'images are built by us', reviewAt: '2099-01-01' },
  })
  expect(results[1]!.action).toMatchObject({ state: 'failed', conflict: true })
  expect(results[0]!.action?.steps).toHaveLength(2)
  await until('the second write', async () =>
    (await getBatch(as('viewer'), { batchId })).some((a) => a.state === 'seen'),
  )
  expect((await getBatch(as('viewer'), { batchId })).map(({ state }) => state)).toEqual(['failed', 'seen'])
  expect(managed()[0]).toBe('None')
  // A review date is kept where something is recorded, and not where nothing is.
  const kept = await db().openShiftAction.findMany({ where: { batchId } })
  expect(kept.map((a) => [a.clusterId === ids[0], a.reviewAt !== null]).sort()).toEqual([
    [false, false],
    [true, true],
  ])
  const [again] = await look({ sets: 'None', clusters: [{ clusterId: ids[1] }] })
  const second = await setSeveralManaged(operator, { sets: 'None', clusters: [looked(again!)] })
  await allSeen(second.batchId, 1)
  expect(managed()).toEqual(['None', 'None'])
})

test('opted in on both in one write each, by nobody but who may, and not without a cluster', async () => {
  const rows = await look({ sets: 'All' })
  const input = { sets: 'All', clusters: rows.map(looked) }
  for (const verb of [setSeveralManaged, previewSeveralManaged])
    expect((await failure(verb(as('viewer'), input))).code).toBe('forbidden')
  expect((await failure(setSeveralManaged(operator, { ...input, clusters: [] }))).code).toBe('invalid')
  const { batchId } = await setSeveralManaged(operator, input)
  await allSeen(batchId, 2)
  expect(managed()).toEqual(['All', 'All'])
  const events = await db().auditEvent.findMany({ where: { action: 'managed.set' } })
  expect(events.filter(({ details }) => (details as { batch?: string }).batch === batchId)).toHaveLength(2)
})
