import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { RELEASE } from '@/lib/domain/latch/names'
import type { JsonObject } from '@/lib/domain/json'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { scriptedExtension } from '@/sandbox/testing/extension'
import { until } from '@/testenv/process'
import { withoutInPlace } from '@/testenv/manager-gates'
import { startGate, type Gate } from '@/worker/gate'
import { renewRegistration } from '@/worker/gate/registrations'
import { exportAudit } from '../audit/export-audit'
import { addCluster } from '../clusters/add-cluster'
import { closeClients, kubeClientFor } from '../clusters/connection'
import { getCluster } from '../clusters/get-cluster'
import { listClusters } from '../clusters/list-clusters'
import { readSecrets } from '../clusters/secrets'
import { ROLES, type Ctx, type Role } from '../context'
import type { ServiceError } from '../errors'
import { gateAnswers } from './answers'
import { checkGate } from './check-gate'
import { needsYou } from '../fleet/needs-you'
import { lookAtGate } from './look'
import { previewGate } from './preview-gate'
import { registerGate } from './register-gate'
import type { GateStatus } from './status'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u', name: 'Ada', role } })
const admin = as('admin')
const EXTENSIONS = { group: 'runtime.cluster.x-k8s.io', version: 'v1beta2', plural: 'extensionconfigs' }

let cluster: SandboxTestCluster
let gate: Gate | undefined
let clusterId: string
let token: string

// Keys and the gate's certificate of this file alone.
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  clusterId = (await addCluster(admin, { name: 'm', kubeconfig: cluster.kubeconfig })).clusterId
  token = (await readSecrets(clusterId)).gateToken
})
afterAll(async () => {
  await closeClients()
  await gate?.stop()
  await cluster?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )
const registration = () =>
  cluster.admin
    .get(EXTENSIONS, 'drydock')
    .catch((error: KubeError) => (error.code === 404 ? null : Promise.reject(error)))
const audited = async () =>
  (await db().auditEvent.findMany({ where: { action: { startsWith: 'gate.' } }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )
const url = () => gate!.url
const target = () => `${url()}/c/${clusterId}/${token}`
const untilState = (state: string) =>
  until(`the gate to be ${state}`, async () => (await checkGate(admin, { clusterId })).state === state, {
    ms: 15_000,
    every: 50,
  })

test('before the worker has made an authority there is nothing to register', async () => {
  const refused = await failure(registerGate(admin, { clusterId }))
  expect(refused).toMatchObject({ code: 'conflict', more: { hint: 'Start the worker once: it makes one.' } })
  expect(await audited()).toEqual([])
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
})

test.each(ROLES)(
  'a %s sees what would be written; only an administrator sees the token, and registers',
  async (role) => {
    const shown = await previewGate(as(role), { clusterId, url: url() })
    expect(shown.yaml).toContain('kind: ExtensionConfig')
    expect(shown.yaml).toContain(`${url()}/c/${clusterId}/`)
    expect(shown.masked).toBe(role !== 'admin')
    expect(JSON.stringify(shown).includes(token)).toBe(role === 'admin')
    if (role === 'admin') return
    expect((await failure(registerGate(as(role), { clusterId, url: url() }))).code).toBe('forbidden')
    expect(await registration()).toBeNull()
  },
)

test.each([
  'http://gate.example:9443',
  'https://me@gate.example',
  'https://gate.example/?x',
  'gate.example',
  'https://',
])('the address %s is refused', async (bad) => {
  const refused = await failure(registerGate(admin, { clusterId, url: bad }))
  expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'url' }] } })
})

test('somebody else’s extension of the same name is not taken over', async () => {
  const foreign = {
    apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
    kind: 'ExtensionConfig',
    metadata: { name: 'drydock' },
    spec: { clientConfig: { url: 'https://127.0.0.1:1', caBundle: Buffer.from('x').toString('base64') } },
  }
  await cluster.admin.create(EXTENSIONS, foreign)
  const refused = await failure(registerGate(admin, { clusterId, url: url() }))
  expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('did not make') as string })
  expect((await registration())?.spec).toMatchObject({ clientConfig: { url: 'https://127.0.0.1:1' } })
  expect(await audited()).toEqual(['gate.register ok', 'gate.registered failed'])
  await cluster.admin.delete(EXTENSIONS, 'drydock')
})

test('a refusal is on record with the API server’s words, after what was tried', async () => {
  cluster.sandbox.faults.fail(503)
  const refused = await failure(registerGate(admin, { clusterId, url: url() }))
  cluster.sandbox.faults.fail(0)
  expect(refused.code).toBe('refused')
  expect((await audited()).slice(2)).toEqual(['gate.register ok', 'gate.registered refused'])
  expect(await db().managementCluster.findUnique({ where: { id: clusterId } })).toMatchObject({
    gateState: 'unregistered',
  })
  expect((await checkGate(as('viewer'), { clusterId })).state).toBe('unregistered')
})

test('registered, discovered, and the token is nowhere to be read', async () => {
  await registerGate(admin, { clusterId, url: url() })
  await untilState('ok')
  expect((await audited()).slice(4)).toEqual(['gate.register ok', 'gate.registered ok'])
  expect(JSON.stringify(await registration())).toContain(token)
  const lines: string[] = []
  for await (const piece of await exportAudit(admin)) lines.push(piece)
  const everything = JSON.stringify([
    lines,
    await checkGate(admin, { clusterId }),
    await getCluster(admin, { clusterId }),
    await listClusters(admin),
    await db().managementCluster.findMany(),
    await db()
      .auditEvent.findMany()
      .then((rows) => rows.map((row) => ({ ...row, id: String(row.id) }))),
  ])
  expect(everything).not.toContain(token)
  expect(everything).toContain('/c/…')
})

test('registered once more is the same registration', async () => {
  const before = await registration()
  await registerGate(admin, { clusterId, url: url() })
  expect((await registration())?.metadata.uid).toBe(before?.metadata.uid)
  await untilState('ok')
})

test('another extension for the same hooks is a clash, as long as it is there', async () => {
  const other = await scriptedExtension(cluster.sandbox)
  try {
    await other.register('other')
    await untilState('clash')
    const { clashes, sentence } = await checkGate(admin, { clusterId })
    expect(clashes.map((c) => c.hook).sort()).toEqual(['CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine'])
    expect(sentence).toContain('Cluster API then fails every update')
    await cluster.admin.delete(EXTENSIONS, 'other')
    await untilState('ok')
  } finally {
    await other.stop()
  }
})

test.each<[string, object, string]>([
  ['narrowed', { spec: { namespaceSelector: { matchLabels: { team: 'x' } } } }, 'spec.namespaceSelector'],
  ['given settings', { spec: { settings: { mode: 'x' } } }, 'spec.settings'],
  ['marked to be let go', { metadata: { annotations: { [RELEASE]: 'by hand' } } }, RELEASE],
])(
  'one that was %s is told, answers no, is left alone by the keeper, and registering again mends it',
  async (_name, change, told) => {
    expect(await gateAnswers(clusterId, 'MachineDeployment')).toEqual({ ok: true })
    await cluster.admin.patch(EXTENSIONS, 'drydock', undefined, 'merge', change as JsonObject)
    expect(await gateAnswers(clusterId, 'MachineDeployment')).toEqual({
      ok: false,
      why: expect.stringContaining(told) as string,
    })
    await untilState('changed')
    expect(await renewRegistration(clusterId, 'w')).toBe(false)
    await registerGate(admin, { clusterId, url: url() })
    await untilState('ok')
    expect(await gateAnswers(clusterId, 'MachineDeployment')).toEqual({ ok: true })
  },
)

test('the manager of control planes learns of it a little later: until then nothing of theirs is released in place', async () => {
  await registerGate(admin, { clusterId, url: url() })
  await untilState('ok')
  const { gateStatus } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const status = gateStatus as unknown as GateStatus
  const seen = (ms: number) => {
    const okSince = new Date(Date.now() - ms).toISOString()
    return db().managementCluster.update({ where: { id: clusterId }, data: { gateStatus: { ...status, okSince } } })
  }
  await seen(0)
  expect(await gateAnswers(clusterId, 'KubeadmControlPlane')).toMatchObject({ ok: false })
  expect(await gateAnswers(clusterId, 'MachineDeployment')).toEqual({ ok: true })
  await seen(11_000)
  expect(await gateAnswers(clusterId, 'KubeadmControlPlane')).toEqual({ ok: true })
  // Registered anew, it is another one.
  await cluster.admin.patch(EXTENSIONS, 'drydock', undefined, 'merge', { spec: { settings: { mode: 'x' } } })
  await registerGate(admin, { clusterId, url: url() })
  await untilState('ok')
  expect(await gateAnswers(clusterId, 'KubeadmControlPlane')).toMatchObject({ ok: false })
})

test('its label taken away does not make it somebody else’s', async () => {
  const labels = { 'app.kubernetes.io/managed-by': null }
  await cluster.admin.patch(EXTENSIONS, 'drydock', undefined, 'merge', { metadata: { labels } })
  await registerGate(admin, { clusterId, url: url() })
  expect((await registration())?.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'drydock' })
  await untilState('ok')
})

test('an API server that does not answer, or managers without the feature, are a no', async () => {
  cluster.sandbox.faults.fail(503)
  expect(await gateAnswers(clusterId, 'MachineDeployment')).toMatchObject({ ok: false })
  cluster.sandbox.faults.fail(0)
  const restore = await withoutInPlace(cluster.admin)
  expect(await gateAnswers(clusterId, 'MachineDeployment')).toMatchObject({
    ok: false,
    why: expect.stringContaining('off') as string,
  })
  await restore()
  expect(await gateAnswers(clusterId, 'MachineDeployment')).toEqual({ ok: true })
})

test('a refusal that quotes the address is kept without its token', async () => {
  const client = await kubeClientFor(clusterId)
  const patch: KubeClient['patch'] = client.patch
  client.patch = () =>
    Promise.reject(
      new KubeError(
        422,
        { kind: 'Status', code: 422, message: `spec.clientConfig.url: Invalid value: "${target()}"` },
        'PATCH extensionconfigs',
      ),
    )
  const refused = await failure(registerGate(admin, { clusterId, url: url() }))
  client.patch = patch
  expect(refused.more.answer).toContain('/c/…')
  // What was not written is not what the registration is compared with.
  client.patch = () => Promise.reject(new KubeError(422, { kind: 'Status', code: 422, message: 'no' }, 'PATCH'))
  await failure(registerGate(admin, { clusterId, url: 'https://elsewhere.example.com' }))
  client.patch = patch
  await untilState('ok')
  const rows = await db().auditEvent.findMany({ where: { action: 'gate.registered', result: 'refused' } })
  expect(JSON.stringify([refused.more, rows.map((row) => row.answer)])).not.toContain(token)
})

test('a registration that somebody redirected or deleted is seen', async () => {
  const elsewhere = { spec: { clientConfig: { url: 'https://127.0.0.1:1/c/x' } } }
  await cluster.admin.patch(EXTENSIONS, 'drydock', undefined, 'merge', elsewhere)
  expect(await checkGate(admin, { clusterId })).toMatchObject({
    state: 'changed',
    sentence: expect.stringContaining('Register again') as string,
  })
  await cluster.admin.delete(EXTENSIONS, 'drydock')
  expect(await checkGate(admin, { clusterId })).toMatchObject({ state: 'unregistered' })
  expect(await db().managementCluster.findUnique({ where: { id: clusterId } })).toMatchObject({
    gateState: 'unregistered',
  })
  // Told once, for as long as it is so.
  await lookAtGate(clusterId)
  const needs = async () => (await needsYou(as('viewer'), {})).filter(({ kind }) => kind === 'gate-gone')
  const words = 'The update gate was taken away; what the latch does not hold is replaced unasked'
  expect(await needs()).toMatchObject([{ id: clusterId, sentence: words, action: { label: 'Register again' } }])
  expect(await listClusters(admin)).toMatchObject([{ gateTaken: true }])
  const taken = { where: { action: 'gate.taken-away', clusterId, actorKind: 'system' } }
  expect(await db().auditEvent.count(taken)).toBe(1)
  await registerGate(admin, { clusterId, url: url() })
  expect(await needs()).toEqual([])
  expect(await listClusters(admin)).toMatchObject([{ gateTaken: false }])
})

test('whoever looks while it is being registered compares with the address that was chosen', async () => {
  const client = await kubeClientFor(clusterId)
  const { patch } = client
  let seen: GateStatus | undefined
  client.patch = async (...args) => {
    client.patch = patch
    const stored = await patch(...args)
    // What the worker does when it sees the registration, before the verb has come back.
    seen = await lookAtGate(clusterId)
    return stored
  }
  const elsewhere = 'https://gate.example.com:9443'
  await registerGate(admin, { clusterId, url: elsewhere })
  expect(seen?.differences).toEqual([])
  await registerGate(admin, { clusterId, url: url() })
  await untilState('ok')
})

test('a look that began earlier does not write over a later one', async () => {
  const client = await kubeClientFor(clusterId)
  const { list } = client
  client.list = async (...args) => {
    client.list = list
    const before = await list(...args)
    expect(await lookAtGate(clusterId)).toMatchObject({ state: 'ok' })
    return { ...before, items: [] }
  }
  expect(await lookAtGate(clusterId)).toMatchObject({ state: 'ok' })
  const { gateState } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  expect(gateState).toBe('registered')
})
