import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { formOf, openShiftFleet, openShiftResources, startOpenShiftControllers } from '@/sandbox/openshift'
import { failure } from '@/testenv/deciding'
import { skewConsumer } from '@/worker/skew'
import { startWorker, type Worker } from '@/worker/worker'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import type { Ctx, Role } from '../context'
import { getFleet } from '../fleet/get-fleet'
import { getBootImageCard } from '../skew/get-card'
import { listBootImages } from '../skew/list'
import { getManaged } from './get-managed'
import { previewManaged } from './preview-managed'
import { setManaged } from './set-managed'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const operator = as('operator')
const MC = 'machineconfigurations.operator.openshift.io'
const SETS = 'machinesets.machine.openshift.io'
const OPERATORS = 'clusteroperators.config.openshift.io'
const GATE = 'ack-4.18-boot-image-opt-out-in-4.19'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const ENTRY = { resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } }
const RELEASE = '4.18.20'

let server: RunningApiServer
let controllers: { stop(): Promise<void> }
let worker: Worker
let clusterId: string

beforeAll(async () => {
  server = await startApiServer({
    ...{ families: ['openshift'], resources: openShiftResources({ form: formOf(RELEASE) }) },
    objects: openShiftFleet({ name: 'slate', platform: 'GCP', release: RELEASE, unsaid: true, gates: {} }),
    users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
  })
  controllers = startOpenShiftControllers(server.store, { speed: 50, life: false, onError: (e) => console.error(e) })
  clusterId = (await addCluster(as('admin'), { name: 'slate', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  const log = pino({ level: 'silent' })
  worker = await startWorker({ consumers: [skewConsumer], parts: [], intervalMs: 20, tickMs: 100, log })
  await until('the cluster', () => getManaged(as('viewer'), { cluster: 'slate' }))
  await until('the gate', async () => gates().includes(GATE))
})
afterAll(async () => {
  await worker?.stop()
  await controllers?.stop()
  await closeClients()
  await server?.stop()
})

async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + 25_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 40))) {
    const found = await probe()
    if (found) return found
  }
  throw new Error(`Waited in vain for ${what}: ${JSON.stringify(server.store.get(MC, 'cluster'))}`)
}
const gates = () => Object.keys(server.store.get('configmaps', 'openshift-config-managed/admin-gates')?.data ?? {})
const managers = () => (server.store.get(MC, 'cluster')!.spec as { managedBootImages?: JsonObject }).managedBootImages
const keyOf = (suffix: string) => `openshift-machine-api/slate-7k2qd-worker-${suffix}`
const providerSpec = (suffix: string) => {
  const { template } = server.store.get(SETS, keyOf(suffix))!.spec as { template: JsonObject }
  return (template.spec as { providerSpec: { value: JsonObject } }).providerSpec.value
}
const secretOf = (suffix: string) => (providerSpec(suffix).userDataSecret as { name: string }).name
const look = (wish: object) => previewManaged(operator, { clusterId, ...wish })
async function decide(wish: object) {
  const { resourceVersion, generation, uid } = await look(wish)
  const looked = { resourceVersion, generation: generation ?? undefined, uid }
  const { id } = await setManaged(operator, { clusterId, ...wish, ...looked })
  await until('that it is taken up', async () => {
    const { state } = await db().openShiftAction.findUniqueOrThrow({ where: { id } })
    return state === 'seen'
  })
}

test('nothing said is nothing managed, and so it says', async () => {
  const { discovery } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  expect(discovery).toMatchObject({ openshift: { managed: { spec: true, status: false, none: false } } })
  expect(await getManaged(as('viewer'), { cluster: 'slate' })).toMatchObject({
    ...{ sets: { mode: 'None' }, words: 'off', says: false, byDefault: false },
    may: { planes: false, skew: false },
  })
  const card = await getBootImageCard(as('viewer'), { cluster: 'slate' })
  expect(card!.releaseWords.join(' ')).toMatch(/where that is switched on.*worker-user-data-managed.*update to 4\.19/)
  expect(card!.sets.map((set) => [set.name.split('-').at(-1), set.state, set.managed])).toEqual(
    expect.arrayContaining([
      ['a', 'current', false],
      ['legacy', 'outdated', false],
    ]),
  )
})

test('opting in: before, what becomes of image and user data; after, the operator has done that, and the gate is gone', async () => {
  const preview = await look({ sets: { mode: 'All' } })
  expect(preview.steps.map(({ call }) => call.body)).toMatchObject([
    { spec: { managedBootImages: { machineManagers: [ENTRY] } } },
  ])
  expect(preview.dryRun.ok).toBe(true)
  expect(preview.follows.mode).toBeNull()
  expect(preview.follows.sets.map(({ name, fate }) => `${name.split('-').at(-1)} ${fate}`)).toEqual([
    'legacy changes',
    'a user-data',
  ])
  const said = preview.follows.sentences.join(' ')
  expect(said).toMatch(/boot image into slate-7k2qd-worker-legacy\./)
  expect(said).toMatch(/user data secret worker-user-data-managed/)
  expect(said).not.toMatch(/record|Automatic|limit/)
  expect(preview.warnings.join(' ')).toContain(GATE)

  await decide({ sets: { mode: 'All' } })
  await until('both to be written', async () =>
    ['a', 'legacy'].every((s) => secretOf(s) === 'worker-user-data-managed'),
  )
  expect(JSON.stringify(providerSpec('legacy').disks)).toContain('rhcos-418-94-202511191518-0')
  await until('the gate to go', async () => !gates().includes(GATE))
  const found = await until('what it did', async () => {
    const now = await getManaged(as('viewer'), { cluster: 'slate' })
    return now?.outcome?.sentences.join(' ').includes('2 of 2 as they should be') ? now : null
  })
  expect(found).toMatchObject({ sets: { mode: 'All' }, words: 'all machine sets' })
  expect(found.outcome?.changed.map(({ name }) => name)).toEqual(['slate-7k2qd-worker-legacy'])
  expect((await look({ sets: { mode: 'All' } })).warnings.join(' ')).toContain('configured so already')
})

test('a set that belongs to another object is told before, and makes the operator degraded', async () => {
  await decide({ sets: { mode: 'None' } })
  const owner = {
    apiVersion: 'example.com/v1',
    kind: 'Fleet',
    name: 'east',
    uid: '0b0b0b0b-0000-4000-8000-000000000000',
  }
  await server.store.merge(SETS, keyOf('a'), { metadata: { ownerReferences: [owner] } }, SOMEBODY)
  const fails = await until('the owner', async () => {
    const { follows } = await look({ sets: { mode: 'All' } })
    return follows.sets.find(({ fate }) => fate === 'fails')
  })
  expect(fails.words).toContain('Fleet east: the operator of this release fails on it')
  await decide({ sets: { mode: 'All' } })
  const degraded = await until('the operator to be degraded', async () => {
    const conditions = server.store.get(OPERATORS, 'machine-config')?.status?.conditions as JsonObject[]
    return conditions.find((c) => c.type === 'Degraded' && c.status === 'True')
  })
  expect(degraded.message).toContain('1 Degraded MAPI MachineSets | 0 Degraded CAPI MachineSets')

  // There is no limit in this release, and nothing is closed; the failing pass is told all the same.
  const row = await until('the failed pass', async () => {
    const { clusters, summary } = await listBootImages(as('viewer'), { q: 'failing:yes' })
    return summary.failing === 1 && clusters[0]
  })
  expect(row).toMatchObject({ verdict: 'unsupported-release', updateOpen: true })
  expect(row.passFailed).toContain('slate-7k2qd-worker-a')
  const card = await getBootImageCard(as('viewer'), { cluster: 'slate' })
  expect(card).toMatchObject({ passFailed: row.passFailed, blocks: null, pass: { degraded: 1 } })
  const { needs, workloads } = await getFleet(as('viewer'), {})
  expect(needs.find(({ kind }) => kind === 'pass-failed')).toMatchObject({
    ...{ where: 'slate', sentence: 'Boot images could not be updated for 1 machine set.', held: false },
    detail: expect.stringContaining('ClusterOperator machine-config is Degraded') as unknown,
  })
  expect(workloads.every((w) => w.skew === 'unsupported-release' && w.passFailed === row.passFailed)).toBe(true)
})

test('opting out is the empty list: what the API server knows no None for', async () => {
  const preview = await look({ sets: { mode: 'None' } })
  expect(preview.dryRun.ok).toBe(true)
  await decide({ sets: { mode: 'None' } })
  expect(managers()).toEqual({ machineManagers: [] })
  expect(gates()).not.toContain(GATE)
  expect(await getManaged(as('viewer'), { cluster: 'slate' })).toMatchObject({ sets: { mode: 'None' }, words: 'off' })
  const rows = [{ key: 'example.com/boot-image', operator: 'In', values: ['managed'] }]
  await decide({ sets: { mode: 'Partial', rows } })
  expect(await getManaged(as('viewer'), { cluster: 'slate' })).toMatchObject({
    ...{ sets: { mode: 'Partial', rows }, words: 'Partial, 1 of 2' },
  })
})

test('what that release does not have is refused in words', async () => {
  const planes = await failure(look({ sets: { mode: 'All' }, controlPlanes: 'All' }))
  expect(planes.message).toContain('control plane')
  const skew = { action: 'acknowledge', versionKind: 'OCPVersion', version: '4.18.20' }
  expect((await failure(look({ sets: { mode: 'None' }, skew }))).message).toContain('does not know boot image skew')

  await worker.stop()
  const { discovery } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const found = discovery as { openshift: object }
  const openshift = { ...found.openshift, skew: null, controlPlanes: null }
  await db().managementCluster.update({ where: { id: clusterId }, data: { discovery: { ...found, openshift } } })
  expect((await failure(look({ sets: { mode: 'All' }, controlPlanes: 'All' }))).message).toBe(
    'Whether OpenShift 4.18.20 manages the boot image of its control plane’s set could not be read.',
  )

  const row = await db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })
  const on = async (type: string, version: string) => {
    const evidence = { ...(row.evidence as object), platform: { type, azureStack: false, topology: 'HighlyAvailable' } }
    await db().openShiftCluster.update({ where: { clusterId }, data: { platform: type, version, evidence } })
    expect(await getManaged(as('viewer'), { cluster: 'slate' })).toBeNull()
    return (await failure(look({ sets: { mode: 'All' } }))).message
  }
  expect(await on('Azure', '4.18.20')).toBe(
    'OpenShift 4.18 does not update boot images on Azure: the first that does is 4.21.',
  )
  expect(await on('VSphere', '4.18.20')).toContain('does not update boot images on vSphere')
  expect(await on('AWS', '4.17.9')).toContain('only as a technology preview')
})
