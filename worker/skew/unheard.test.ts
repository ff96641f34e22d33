import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { bootImageSummary } from '@/lib/db/queries/boot-images'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import { rulesFromManifests, startApiServer, type Rule, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import type { Ctx, Role } from '@/lib/services/context'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { exportBootImages } from '@/lib/services/skew/export'
import { getBootImageCard } from '@/lib/services/skew/get-card'
import { listBootImages } from '@/lib/services/skew/list'
import { previewSkewAction } from '@/lib/services/skew/preview'
import { consumers } from '../parts'
import { startWorker, type Worker } from '../worker'

// How long a watch may be away before that counts is a test of its own (watching.unit.test.ts).
vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })
useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const MC = 'machineconfigurations.operator.openshift.io'
const OPERATORS = 'clusteroperators.config.openshift.io'
const PLANES = 'controlplanemachinesets.machine.openshift.io'
const manual = (ocpVersion: string) => ({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion } })

const all = rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()])
const rules: Rule[] = []
let server: RunningApiServer
let worker: Worker | null = null
let clusterId: string

const may = (...lost: string[]) => {
  const resources = (rule: Rule) => rule.resources?.filter((one) => !lost.includes(one))
  rules.splice(0, rules.length, ...(all.map((rule) => ({ ...rule, resources: resources(rule) })) as Rule[]))
}
/** Whatever is followed is asked for anew. */
const cut = (...names: string[]) => names.forEach((name) => server.register(server.resource(name)))
const follow = async () => {
  const log = pino({ level: 'silent' })
  const followed = consumers.filter(({ name }) => name.startsWith('skew'))
  worker = await startWorker({ consumers: followed, parts: [], intervalMs: 20, tickMs: 100, log })
}
const MCO = { user: 'operator', groups: ['system:masters'], fieldManager: 'machine-config-operator' }
/** Also with a status of its own, as the operator writes it. */
const recorded = async (ocpVersion: string) => {
  const skew = manual(ocpVersion)
  await server.store.merge(MC, 'cluster', { spec: { bootImageSkewEnforcement: skew } }, MCO)
  await server.store.merge(MC, 'cluster', { status: { bootImageSkewEnforcementStatus: skew } }, MCO, 'status')
}

beforeAll(async () => {
  may()
  server = await startApiServer({
    ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet() },
    users: { drydock: rules },
  })
  await recorded('4.16.0')
  clusterId = (await addCluster(as('admin'), { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  await follow()
})
beforeEach(async () => {
  await until('it to be in range', async () => (await card()).verdict === 'ok')
})
afterEach(async () => {
  may()
  if (!worker) await follow()
  await until('it to be heard again', async () => (await card()).unheard === null)
})
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await server?.stop()
})

async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 50))) {
    const found = await probe().catch(() => null)
    if (found) return found
  }
  throw new Error(
    `Waited in vain for ${what}: ${JSON.stringify(await db().openShiftCluster.findFirst({ select: { sentence: true, unheardWhy: true } }))}`,
  )
}
const card = async () => (await getBootImageCard(as('viewer'), { cluster: clusterId }))!
const listed = async (q = '') => (await listBootImages(as('viewer'), { q })).clusters
const csv = async () => {
  let text = ''
  for await (const piece of exportBootImages(as('viewer'), { of: 'clusters', as: 'csv' }).pieces) text += piece
  return text
}
const FORBIDDEN = /^Its MachineConfiguration cannot be read: .*machineconfigurations.*forbidden/
const unknown = () => until('it to be unknown', async () => (await card()).verdict === 'unknown' && card())

test('a configuration that may not be read any more is unknown, wherever it stands, with the API server’s words', async () => {
  const before = await card()
  expect(before).toMatchObject({ unheard: null, sentence: expect.stringContaining('keep nothing closed') as string })
  may('machineconfigurations')
  cut(MC)
  const now = await unknown()
  expect(now.sentence).toMatch(FORBIDDEN)
  expect(now.sentence).toContain('Whether boot images keep updates closed is not known.')
  expect(now).toMatchObject({ nodeRisk: 'unknown', confidence: 'unknown', best: null, blocks: null })
  expect(Date.parse(now.unheard!.since!)).toBeLessThan(Date.now())
  expect(await listed('verdict:ok')).toEqual([])
  expect(await listed('verdict:unknown')).toMatchObject([{ name: 'tidal', sentence: now.sentence }])
  expect(await bootImageSummary()).toMatchObject({ closed: 0, unheard: 1 })
  expect(await needsYou(as('viewer'), {})).toContainEqual(
    expect.objectContaining({ kind: 'skew-unheard', where: 'tidal', sentence: now.sentence }),
  )
  const text = await csv()
  expect(text).toContain(now.unheard!.since)
  expect(text).not.toContain('keep nothing closed')
  may()
  expect(await until('it to be heard', async () => (await card()).verdict === 'ok' && card())).toMatchObject({
    ...{ sentence: before.sentence, unheard: null, best: before.best, nodeRisk: before.nodeRisk },
  })
})

test('what its own operator says of updates meanwhile is said', async () => {
  may('machineconfigurations')
  cut(MC)
  await unknown()
  const conditions = [{ type: 'Upgradeable', status: 'False', reason: 'ClusterBootImageSkewError', message: 'using OCP boot image version 4.12.0' }] // prettier-ignore
  const before = server.store.get(OPERATORS, 'machine-config')!.status as JsonObject
  await server.store.merge(OPERATORS, 'machine-config', { status: { ...before, conditions } }, MCO, 'status')
  const told = await until('it to be said', async () => (await card()).blocks !== null && card())
  expect(told.sentence).toMatch(/forbidden.*Its ClusterOperator keeps updates closed for its boot images: using OCP/)
  await server.store.merge(OPERATORS, 'machine-config', { status: before }, MCO, 'status')
})

test('machine sets and images that may not be read any more make nothing good, and nothing is offered by them', async () => {
  may('configmaps')
  cut('configmaps')
  const now = await until('it to be told', async () => (await card()).unheard !== null && card())
  expect(now).toMatchObject({ verdict: 'ok', nodeRisk: 'unknown', confidence: 'unknown', best: null })
  expect(now.unheard!.why).toMatch(/^Its ConfigMap coreos-bootimages cannot be read: .*forbidden/)
  const wish = { clusterId, action: 'acknowledge', versionKind: 'OCPVersion', version: '4.16.0' }
  expect((await previewSkewAction(as('operator'), wish)).warnings.at(-1)).toMatch(/may be old.*coreos-bootimages/)
})

test('a worker that begins and may not read the images of the release says that, and not that they are missing', async () => {
  await worker!.stop()
  worker = null
  may('configmaps')
  await follow()
  const now = await until('it to be told', async () => (await card()).unheard !== null && card())
  expect(now.unheard!.why).toMatch(/^Its ConfigMap coreos-bootimages cannot be read: .*forbidden/)
  expect(now).toMatchObject({ verdict: 'ok', nodeRisk: 'unknown', best: null })
  expect(now.sets.length).toBeGreaterThan(0)
  for (const { outcome, reason } of now.sets) {
    expect(reason).not.toContain('is missing')
    expect(outcome).not.toBe('error')
  }
})

test('what its ClusterOperator said before it may not be read is no word of now', async () => {
  const conditions = [{ type: 'Upgradeable', status: 'False', reason: 'ClusterBootImageSkewError', message: 'using OCP boot image version 4.12.0' }] // prettier-ignore
  const before = server.store.get(OPERATORS, 'machine-config')!.status as JsonObject
  await server.store.merge(OPERATORS, 'machine-config', { status: { ...before, conditions } }, MCO, 'status')
  const said = /ClusterOperator keeps updates closed/
  await until('it to be said', async () => said.test((await card()).sentence))
  may('clusteroperators')
  cut(OPERATORS)
  await server.store.merge(OPERATORS, 'machine-config', { status: before }, MCO, 'status')
  await until('it to be taken back', async () => !said.test((await card()).sentence))
  expect(await card()).toMatchObject({ verdict: 'ok', blocks: null, unheard: null })
})

test('a worker that begins and may not read it takes nothing of before for what is now', async () => {
  await worker!.stop()
  worker = null
  const { lastHeardAt } = await db().stream.findFirstOrThrow({ where: { clusterId, resource: MC } })
  may('machineconfigurations')
  await follow()
  const now = await unknown()
  expect(now.sentence).toMatch(FORBIDDEN)
  expect(now).toMatchObject({ nodeRisk: 'unknown', best: null, unheard: { since: lastHeardAt!.toISOString() } })
})

test('no machine is said to join by machine sets alone where the control plane’s may not be read any more, or never could', async () => {
  const { confidence, confidenceWhy } = await card()
  may('controlplanemachinesets')
  cut(PLANES)
  const told = () => until('it to be told', async () => (await card()).unheard !== null && card())
  const now = await told()
  // Of the record it says nothing, but the version that is offered would stand without what is said of it beside.
  expect(now).toMatchObject({ verdict: 'ok', nodeRisk: 'unknown', best: null, confidence, confidenceWhy })
  expect(now.unheard!.why).toMatch(/^Its ControlPlaneMachineSet cannot be read: .*forbidden/)
  await worker!.stop()
  worker = null
  await db().openShiftCluster.deleteMany()
  await follow()
  const begun = await told()
  expect(begun).toMatchObject({ verdict: 'ok', nodeRisk: 'unknown', best: null, confidence })
  expect(begun.unheard!.why).toMatch(/^Its ControlPlaneMachineSet cannot be read: .*forbidden/)
})
