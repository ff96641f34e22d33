import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
import { retryAction } from '../openshift/retry-action'
import { acknowledgeSkew } from './acknowledge'
import { actSeveralSkew } from './act-several'
import { getBootImageCard } from './get-card'
import { getBatch } from './get-batch'
import { previewSeveralSkew } from './preview-several'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const operator = as('operator')
const MC = 'machineconfigurations.operator.openshift.io'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const NAMES = ['atoll', 'delta', 'fjord'] as const

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
    controllers.push(startOpenShiftControllers(server.store, { speed: 50, life: false, name }))
    ids.push((await addCluster(as('admin'), { name, kubeconfig: server.users.drydock!.kubeconfig })).clusterId)
  }
  const log = pino({ level: 'silent' })
  worker = await startWorker({ consumers: [skewConsumer], parts: [], intervalMs: 20, tickMs: 100, log })
  await until('all are read', async () => (await db().openShiftCluster.count({ where: { mode: 'Manual' } })) === 3)
}, 60_000)
afterAll(async () => {
  await worker?.stop()
  for (const one of controllers) await one.stop()
  await closeClients()
  for (const server of servers) await server.stop()
})

async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 40))) {
    const found = await probe()
    if (found) return found
  }
  throw new Error(`Waited in vain for ${what}: ${JSON.stringify(await db().openShiftAction.findMany())}`)
}
const stanza = (at: number) => servers[at]!.store.get(MC, 'cluster')?.spec?.bootImageSkewEnforcement

test('each has its own version from its own evidence; what is typed for one is that one’s, and a slip is no matter to the others', async () => {
  const clusters = [
    { clusterId: ids[0] },
    { clusterId: ids[1], version: '4.18.0' },
    { clusterId: ids[2], version: '4.18' },
  ]
  const rows = await previewSeveralSkew(operator, { action: 'acknowledge', clusters })
  const besides = 'The control plane’s own set is not counted in that'
  expect(rows.map(({ why }) => why?.includes(besides))).toEqual([false, true, true])
  expect(rows.map(({ name, version, preview }) => [name, version, preview?.dryRun.ok])).toEqual([
    ['atoll', '4.16.0', true],
    ['delta', '4.18.0', true],
    ['fjord', '4.18', undefined],
  ])
  // One that was never activated makes no machines.
  const plane = { clusterId: ids[1], kind: 'ControlPlaneMachineSet' }
  const is = (paused: boolean) => db().group.updateMany({ where: plane, data: { paused } })
  expect(await is(true)).toEqual({ count: 1 })
  const inactive = async () =>
    (await getBootImageCard(operator, { cluster: 'delta' }))!.sets.filter((set) => set.inactive)
  expect(await inactive()).toMatchObject([{ kind: 'ControlPlaneMachineSet' }])
  const [without] = await previewSeveralSkew(operator, { action: 'acknowledge', clusters: [clusters[1]] })
  expect(without!.why).not.toContain(besides)
  await is(false)
  expect(await inactive()).toEqual([])
  expect(rows[0]!.why).toContain('gpu could not be dated')
  expect(rows[2]!.refused?.fields?.[0]).toMatchObject({ field: 'version' })
  expect(NAMES.map((_, at) => stanza(at))).toEqual([undefined, undefined, undefined])
})

test('where Drydock may not write it says so, before a version is asked for', async () => {
  const clusters = [{ clusterId: ids[0], version: '4.18' }, { clusterId: ids[1] }]
  const [without, other] = await withoutWrite(ids[0]!, () =>
    previewSeveralSkew(operator, { action: 'acknowledge', clusters }),
  )
  expect(without).toMatchObject({
    preview: null,
    refused: { message: expect.stringContaining('may not change') as string },
  })
  expect(without!.refused?.fields).toBeUndefined()
  expect(other!.refused).toBeNull()
})

test('three at once, of which one was changed meanwhile and one names a version that cannot be: each has its own end', async () => {
  const clusters = ids.map((clusterId) => ({ clusterId }))
  const rows = await previewSeveralSkew(operator, { action: 'acknowledge', clusters })
  await servers[1]!.store.merge(MC, 'cluster', { spec: { logLevel: 'Debug' } }, SOMEBODY)
  const looked = rows.map(({ clusterId, versionKind, version, preview }) => ({
    ...{ clusterId, versionKind, version },
    ...{ resourceVersion: preview!.resourceVersion, generation: preview!.generation ?? undefined, uid: preview!.uid },
  }))
  const one = { ...looked[2]!, version: '4.99.0' }
  const acted = await actSeveralSkew(operator, {
    ...{ action: 'acknowledge', clusters: [looked[0], looked[1], one], reason: 'checked in the console' },
    reviewAt: '2099-01-01',
  })
  const { batchId, results } = acted
  expect(results.map(({ clusterId }) => clusterId)).toEqual(ids)
  expect(results[0]!.action).toMatchObject({ batchId, version: '4.16.0', reason: 'checked in the console' })
  expect(results[1]!.action).toMatchObject({ state: 'failed', conflict: true })
  expect(results[2]).toMatchObject({ action: null, refused: { code: 'invalid' } })
  expect(stanza(0)).toMatchObject({ manual: { ocpVersion: '4.16.0' } })
  expect([stanza(1), stanza(2)]).toEqual([undefined, undefined])
  await until('the third tick', async () => (await getBatch(as('viewer'), { batchId })).some((a) => a.state === 'seen'))
  expect((await getBatch(as('viewer'), { batchId })).map(({ state }) => state)).toEqual(['failed', 'seen'])
  const events = await db().auditEvent.findMany({ where: { action: 'skew.acknowledged' } })
  expect(events.map(({ details }) => (details as { batch?: string }).batch)).toEqual([batchId, batchId])
  // What was looked at is no more: it is looked at again, and decided anew, in another batch.
  expect(await retryAction(operator, { actionId: results[1]!.action!.id })).toMatchObject({ conflict: true })
  const [again] = await previewSeveralSkew(operator, { action: 'acknowledge', clusters: [{ clusterId: ids[1] }] })
  const { resourceVersion, generation, uid } = again!.preview!
  const second = await actSeveralSkew(operator, {
    action: 'acknowledge',
    clusters: [{ ...looked[1], resourceVersion, generation: generation ?? undefined, uid }],
  })
  expect(second.results[0]!.action!.state).toMatch(/accepted|seen/)
  expect(stanza(1)).toMatchObject({ mode: 'Manual' })
})

test('said once more, with no date: the review date that stands is kept where the version stays, and that is said before', async () => {
  const date = '2099-01-01T00:00:00.000Z'
  const asked = (version: string) => ({ action: 'acknowledge', clusters: [{ clusterId: ids[0], version }] })
  const review = async (version: string) => (await previewSeveralSkew(operator, asked(version)))[0]!.review
  const act = async (version: string, more: object = {}) => {
    const [row] = await previewSeveralSkew(operator, asked(version))
    const { resourceVersion, uid, confirm: confirmed } = row!.preview!
    const looked = { clusterId: ids[0], versionKind: 'OCPVersion', version, resourceVersion, uid, confirmed }
    const action =
      'reviewAt' in more
        ? await acknowledgeSkew(operator, { ...looked, ...more })
        : (await actSeveralSkew(operator, { ...asked(version), clusters: [looked] })).results[0]!.action!
    await until(
      'it is seen',
      async () => (await getBootImageCard(operator, { cluster: 'atoll' }))!.action?.state === 'seen',
    )
    return action.reviewAt
  }
  expect(await review('4.16.0')).toBe('Its review date, 2099-01-01, is kept unless another is given.')
  expect(await act('4.16.0')).toBe(date)
  expect(await review('4.15.0')).toBe('Its review date, 2099-01-01, was set for 4.16.0 and ends with it, unless another is given.') // prettier-ignore
  expect(await act('4.15.0')).toBeNull()
  expect(await review('4.15.0')).toBeNull()
  expect(await act('4.15.0', { reviewAt: date })).toBe(date)
  // Emptied in the sheet, where it stood.
  expect(await act('4.15.0', { reviewAt: null })).toBeNull()
})

test('opting out and returning go the same way; nobody but who may, and not without a cluster', async () => {
  for (const [action, mode] of [
    ['opt-out', 'None'],
    ['automatic', undefined],
  ] as const) {
    const open = { mode: action === 'automatic' ? 'None' : 'Manual' }
    await until('all are read', async () => (await db().openShiftCluster.count({ where: open })) === 3)
    const rows = await previewSeveralSkew(operator, { action, clusters: ids.map((clusterId) => ({ clusterId })) })
    const clusters = rows.map(({ clusterId, preview }) => ({
      ...{ clusterId, resourceVersion: preview!.resourceVersion, generation: preview!.generation ?? undefined },
      uid: preview!.uid,
    }))
    if (action === 'automatic') {
      expect(rows.map((row) => row.preview!.confirm)).not.toContain(null)
      // Each arrives at what it was installed with, below the floor, and is open now: that takes somebody who says so.
      expect(rows[0]!.preview!.confirm).toMatch(
        /^This closes updates beyond 4\.22, which boot images do not close now\./,
      )
      const refused = await actSeveralSkew(operator, { action, clusters })
      expect(refused.results.map((one) => one.refused?.message)).toEqual(rows.map((row) => row.preview!.confirm))
    } else expect(rows.map((row) => row.preview!.confirm)).toEqual([null, null, null])
    const confirmed = clusters.map((one, at) => ({ ...one, confirmed: rows[at]!.preview!.confirm }))
    const { results } = await actSeveralSkew(operator, { action, clusters: confirmed })
    expect(results.map((one) => [one.refused, one.action?.error])).toEqual(ids.map(() => [null, null]))
    expect(NAMES.map((_, at) => (stanza(at) as { mode?: string } | undefined)?.mode)).toEqual([mode, mode, mode])
  }
  const returned = await db().auditEvent.findMany({ where: { action: 'skew.returned' } })
  expect(returned.map(({ details }) => (details as JsonObject).closingConfirmed)).toEqual([true, true, true])
  const input = { action: 'opt-out', clusters: [{ clusterId: ids[0], resourceVersion: '1' }] }
  expect((await failure(actSeveralSkew(as('viewer'), input))).code).toBe('forbidden')
  expect((await failure(previewSeveralSkew(as('viewer'), input))).code).toBe('forbidden')
  expect((await failure(actSeveralSkew(operator, { ...input, clusters: [] }))).code).toBe('invalid')
})
