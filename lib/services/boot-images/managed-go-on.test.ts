import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources, startOpenShiftControllers } from '@/sandbox/openshift'
import { skewConsumer } from '@/worker/skew'
import { startWorker } from '@/worker/worker'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import type { Ctx } from '../context'
import { actionDto } from '../openshift/action-row'
import { cancelAction } from '../openshift/cancel-action'
import { isHalfway } from '../openshift/halfway'
import { managedKind } from '../openshift/kinds/managed'
import { CLUSTER_CONFIGURATION } from '../openshift/kinds/skew'
import { previewCancel } from '../openshift/preview-cancel'
import { previewGoOn } from '../openshift/preview-go-on'
import { retryAction } from '../openshift/retry-action'
import { stepOn } from '../openshift/step-on'
import { previewManaged } from './preview-managed'
import { setManaged } from './set-managed'

useTestDatabase()

const ctx: Ctx = { actor: { kind: 'user', id: 'u1', name: 'l.varga', role: 'operator' } }
const MC = 'machineconfigurations.operator.openshift.io'
const SETS = 'machinesets.machine.openshift.io'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const WISH = {
  sets: { mode: 'Partial', rows: [{ key: 'example.com/boot-image', operator: 'In', values: ['managed'] }] },
  skew: { action: 'acknowledge', versionKind: 'OCPVersion', version: '4.22.4' },
}
const OWN = { label: 'Let the operator record by itself again', body: { spec: { bootImageSkewEnforcement: null } } }

let server: RunningApiServer
let clusterId: string
const { still } = managedKind

const configuration = () => server.store.get(MC, 'cluster')!
const spec = () => configuration().spec as { managedBootImages?: JsonObject; bootImageSkewEnforcement?: JsonObject }
const write = (to: JsonObject) => server.store.merge(MC, 'cluster', { spec: to }, SOMEBODY)
const says = (enforcement: JsonObject) => {
  const observedGeneration = configuration().metadata.generation!
  const status = { observedGeneration, bootImageSkewEnforcementStatus: enforcement, managedBootImagesStatus: ALL }
  return server.store.merge(MC, 'cluster', { status }, SOMEBODY, 'status')
}
const ALL = {
  machineManagers: [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } }],
}
const AUTOMATIC = { mode: 'Automatic', automatic: { ocpVersion: '4.22.4' }, manual: null }
const MANUAL = { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.22.4' }, automatic: null }
const row = (id: string) => db().openShiftAction.findUniqueOrThrow({ where: { id } })

/** Whoever reads it, until it is read; from there on the tests are the operator. */
beforeAll(async () => {
  server = await startApiServer({
    ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet() },
    users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
  })
  await server.store.delete(SETS, 'openshift-machine-api/tidal-7k2qd-worker-gpu', SOMEBODY)
  const admin: Ctx = { actor: { ...ctx.actor, role: 'admin' } as Ctx['actor'] }
  const controllers = startOpenShiftControllers(server.store, { speed: 50, life: false })
  clusterId = (await addCluster(admin, { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  const log = pino({ level: 'silent' })
  const worker = await startWorker({ consumers: [skewConsumer], parts: [], intervalMs: 20, tickMs: 100, log })
  const read = async () => {
    const card = await db().openShiftCluster.findFirst()
    expect(card).toMatchObject({ skewSupported: true, generation: card?.observedGeneration })
    expect(await db().bootImageSet.count()).toBe(server.store.list(SETS).length + 1)
  }
  await vi.waitFor(read, { timeout: 20_000, interval: 50 })
  await worker.stop()
  await controllers.stop()
})
beforeEach(async () => {
  await says({ mode: 'None', manual: null, automatic: null })
  await write({ bootImageSkewEnforcement: null, managedBootImages: null, logLevel: null, operatorLogLevel: null })
  await says(AUTOMATIC)
})
afterEach(async () => {
  managedKind.still = still
  server.faults.reset(false)
  await db().openShiftAction.deleteMany()
})
afterAll(async () => {
  await closeClients()
  await server?.stop()
})

async function decide() {
  const { confirm: confirmed, resourceVersion, generation, uid } = await previewManaged(ctx, { clusterId, ...WISH })
  return setManaged(ctx, { clusterId, ...WISH, confirmed, resourceVersion, generation: generation ?? undefined, uid })
}

/** Its first write is stored, no answer to it comes, and somebody changes another field before it is tried again. */
async function firstLost(): Promise<string> {
  managedKind.still = () => {
    server.faults.reset(true)
    return Promise.resolve(null)
  }
  const { id } = await decide()
  managedKind.still = still
  server.faults.reset(false)
  expect(spec().bootImageSkewEnforcement).toMatchObject({ mode: 'Manual' })
  await write({ logLevel: 'Debug' })
  const failed = await retryAction(ctx, { actionId: id })
  expect(failed).toMatchObject({ state: 'failed', step: 0, conflict: true, back: OWN, steps: [{ unsure: true }, {}] })
  return id
}

async function goOn(actionId: string) {
  const { resourceVersion, generation, uid, shown } = await previewGoOn(ctx, { actionId })
  return retryAction(ctx, { actionId, resourceVersion, generation: generation ?? undefined, uid, shown })
}

async function goBack(actionId: string) {
  const { call, resourceVersion, generation, uid } = await previewCancel(ctx, { actionId })
  expect(call.body.spec).toMatchObject(OWN.body.spec)
  const looked = { resourceVersion, generation: generation ?? undefined, uid }
  expect(await cancelAction(ctx, { actionId, takeBack: true, ...looked })).toMatchObject({
    state: 'cancelled',
    error: 'Cancelled: of its 2 steps 1 was stored, and is taken back.',
  })
  expect(spec()).toMatchObject({ logLevel: 'Debug' })
  expect(spec().bootImageSkewEnforcement).toBeUndefined()
}

test.each([
  ['has not taken it up', AUTOMATIC],
  ['has taken it up', MANUAL],
])(
  'gone on with where the first write may be stored and the operator %s, the way back is what stood before it',
  async (_, status) => {
    const id = await firstLost()
    await says(status)
    const on = await goOn(id)
    expect(on).toMatchObject({ state: 'waiting', step: 1, steps: [{ state: 'stored' }, { state: 'open' }], back: OWN })
    // Somebody writes again: it stands half way, and nothing passes it.
    await write({ operatorLogLevel: 'Debug' })
    await stepOn(clusterId, CLUSTER_CONFIGURATION)
    const failed = await row(id)
    expect([isHalfway(failed), actionDto(failed).back]).toEqual([true, OWN])
    await expect(decide()).rejects.toMatchObject({ code: 'conflict' })
    await goBack(id)
  },
)

test('going on shows what becomes of each set, and is bound to it: a set that was labelled since is not taken unseen', async () => {
  const { id } = await decide()
  await write({ logLevel: 'Debug' })
  await stepOn(clusterId, CLUSTER_CONFIGURATION)
  const set = await db().bootImageSet.findFirstOrThrow({ where: { name: { endsWith: 'us-east-1a' } } })
  const { shown, sets, follows, ...looked } = await previewGoOn(ctx, { actionId: id })
  expect(sets.find(({ name }) => name === set.name)).toMatchObject({ managedThen: false, fate: 'left' })
  expect(follows.join(' ')).toMatch(/ of 3 machine sets (is|are) managed then/)
  const labels = { ...(set.labels as JsonObject), 'example.com/boot-image': 'managed' }
  const where = { id: set.id }
  await db().bootImageSet.update({ where, data: { labels } })
  const bound = { resourceVersion: looked.resourceVersion, generation: looked.generation ?? undefined, uid: looked.uid }
  for (const given of [shown, undefined])
    await expect(retryAction(ctx, { actionId: id, ...bound, shown: given })).rejects.toMatchObject({ code: 'conflict' })
  expect((await row(id)).state).toBe('failed')
  const anew = await previewGoOn(ctx, { actionId: id })
  expect(anew.sets.find(({ name }) => name === set.name)).toMatchObject({ managedThen: true })
  expect((await goOn(id)).state).toBe('waiting')
  await db().bootImageSet.update({ where, data: { labels: set.labels as JsonObject } })
})
