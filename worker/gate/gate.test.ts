import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Agent, request } from 'undici'
import { closeDatabase, db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { applyAnswer, changesBetween, masked, upstreamEqual, valueAt } from '@/lib/domain/changes'
import recorded from '@/lib/domain/changes/testing/recorded.json'
import type { JsonObject } from '@/lib/domain/json'
import { keyedDigest } from '@/lib/seal'
import { writeSecrets } from '@/lib/services/clusters/secrets'
import { fakeUpdater, mergePatch } from '@/lib/services/updaters/testing'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { makeAuthority, makeLeaf } from './certificates'
import { readSecrets } from '@/lib/services/clusters/secrets'
import { fingerprintOfQuestion } from './answer-can-update'
import { HANDLED, HOOKS } from './constants'
import { startGate, type Gate } from './index'

useTestDatabase()

let gate: Gate
let agent: Agent
const clusterId = randomUUID()
const groupId = randomUUID()
let token = ''
const question = recorded.machineSetHeld.request as unknown as JsonObject
const fingerprintOf = (asked: JsonObject) =>
  fingerprintOfQuestion(
    { uid: groupId, namespace: 'fleet', name: 'c1-md', kind: 'MachineDeployment' },
    'CanUpdateMachineSet',
    asked,
  )
const fingerprint = fingerprintOf(question)

beforeAll(async () => {
  process.env.DRYDOCK_KEY = randomBytes(32).toString('base64')
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  const ca = (await db().gateCertificate.findFirstOrThrow({ where: { role: 'ca' } })).certPem
  agent = new Agent({ connect: { ca } })
  await db().managementCluster.create({ data: { id: clusterId, name: 'm', server: 'https://127.0.0.1:1' } })
  await db().$transaction((tx) => writeSecrets(tx, clusterId, { server: 'https://127.0.0.1:1' }))
  token = (await readSecrets(clusterId)).gateToken
  const common = { clusterId, namespace: 'fleet', workloadCluster: 'c1', resourceVersion: '1' }
  await db().group.create({
    data: {
      ...common,
      id: groupId,
      kind: 'MachineDeployment',
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      name: 'c1-md',
      createdAt: new Date(),
    },
  })
})
afterAll(async () => {
  await agent?.close()
  await gate?.stop()
})

async function ask(hook: string, body: JsonObject, secret = token, cluster: string = clusterId) {
  const path = hook === 'discovery' ? hook : `${hook}/${hook}`
  const { statusCode, body: answer } = await request(
    `${gate.url}/c/${cluster}/${secret}/${HOOKS}/${path}?timeout=10s`,
    {
      method: 'POST',
      body: JSON.stringify(body),
      dispatcher: agent,
    },
  )
  return { code: statusCode, ...((await answer.json()) as JsonObject) } as JsonObject & { code: number }
}

async function changed(
  state: string,
  mode: string | null,
  decisionState = 'accepted',
  of = fingerprint,
  connection: string = clusterId,
  otherKind = false,
) {
  await db().change.deleteMany({})
  const pairs = [{ from: 'a', machines: 3, fingerprint: of, changes: [], ...(otherKind ? { otherKind } : {}) }]
  const change = await db().change.create({
    data: {
      ...{
        clusterId: connection,
        groupId,
        groupKind: 'MachineDeployment',
        namespace: 'fleet',
        groupName: 'c1-md',
        workloadCluster: 'c1',
      },
      ...{ fingerprint: of, state, summary: 's', changeSet: { pairs, fields: [] }, outlook: {}, heldBy: 'gate' },
      ...{ resourceVersion: '1', machines: 3 },
    },
  })
  if (mode)
    await db().decision.create({
      data: { changeId: change.id, fingerprint: of, mode, actorId: 'a', actorName: 'Ada', state: decisionState },
    })
}

const HELD = { status: 'Failure' }
const UPDATE = {
  desired: { machine: (recorded.machineHeld.request as unknown as { desired: JsonObject }).desired.machine! },
}

test('holds what is not decided, rejected, voided, failed, expired or of another change; says why without changing words', async () => {
  await db().change.deleteMany({})
  expect(await ask('canupdatemachineset', question)).toMatchObject({
    ...HELD,
    message: expect.stringContaining('not been seen'),
  })
  await changed('waiting', null)
  expect(await ask('canupdatemachineset', question)).toMatchObject({
    ...HELD,
    message: 'drydock: waiting for approval',
  })
  for (const [state, mode, decision, of] of [
    ['rejected', 'reject', 'seen', fingerprint],
    ['waiting', 'replace', 'voided', fingerprint],
    ['waiting', 'replace', 'failed', fingerprint],
    ['approved', 'replace', 'recorded', fingerprint],
    // Its release may still turn out not to be possible: nobody is told before.
    ['approved', 'replace', 'applying', fingerprint],
    ['approved', 'in-place', 'applying', fingerprint],
    ['superseded', 'replace', 'accepted', fingerprint],
    ['running', 'replace', 'seen', 'f'.repeat(64)],
    ['running', 'anything', 'seen', fingerprint],
  ] as const) {
    await changed(state, mode, decision, of)
    expect(await ask('canupdatemachineset', question), `${state} ${mode} ${decision}`).toMatchObject(HELD)
  }
})

test('a release that is on its way is waited for: whoever is told to come back does so in minutes', async () => {
  await changed('approved', 'replace', 'applying')
  await db().decision.updateMany({ data: { sentAt: new Date() } })
  const answer = ask('canupdatemachineset', question)
  await db().decision.updateMany({ data: { state: 'accepted' } })
  expect(await answer).toMatchObject({ code: 200, status: 'Success' })
})

/** As Cluster API takes an answer: the patches are applied to what is there, and that is compared with what is wanted. */
const isTakenForYes = ({ current, desired }: JsonObject, answer: JsonObject): boolean =>
  upstreamEqual(
    'CanUpdateMachineSet',
    applyAnswer('CanUpdateMachineSet', current as JsonObject, answer),
    desired as JsonObject,
  )

test('replace is a no that cannot be taken for a yes, for every repeated question of the rollout', async () => {
  await changed('running', 'replace', 'seen')
  for (let i = 0; i < 3; i++) {
    const answer = await ask('canupdatemachineset', question)
    expect(answer).toMatchObject({ code: 200, status: 'Success' })
    expect(isTakenForYes(question, answer)).toBe(false)
  }
})

test('also of another template with the same content', async () => {
  const desired = structuredClone(question.current as JsonObject)
  const reference = valueAt(desired, 'machineSet', 'spec', 'template', 'spec', 'infrastructureRef') as JsonObject
  reference.name = 'copied'
  const same = { ...question, desired }
  await changed('running', 'replace', 'seen', fingerprintOf(same))
  expect(isTakenForYes(same, {})).toBe(true)
  expect(isTakenForYes(same, await ask('canupdatemachineset', same))).toBe(false)
})

test('what would be of another kind is never said to be possible in place, whatever was approved', async () => {
  await changed('running', 'in-place', 'seen', fingerprint, clusterId, true)
  const part = (question.desired as JsonObject).infrastructureMachineTemplate as JsonObject
  const other = { ...part, kind: 'OtherMachineTemplate' }
  const desired = { ...(question.desired as JsonObject), infrastructureMachineTemplate: other }
  const answer = await ask('canupdatemachineset', { ...question, desired })
  expect(answer).toMatchObject({ code: 200, status: 'Success' })
  expect(isTakenForYes({ ...question, desired }, answer)).toBe(false)
  // Also without any other difference.
  const same = { ...(question.current as JsonObject), infrastructureMachineTemplate: other }
  const only = { ...question, desired: same }
  for (const mode of ['in-place', 'replace']) {
    await changed('running', mode, 'seen', fingerprintOf(only), clusterId, true)
    expect(isTakenForYes(only, await ask('canupdatemachineset', only))).toBe(false)
  }
  // Written after the approval: nobody approved that these are replaced.
  await changed('running', 'in-place', 'seen', fingerprintOf(only))
  expect(await ask('canupdatemachineset', only)).toMatchObject({
    ...HELD,
    message: expect.stringContaining('of another kind than was approved'),
  })
})

test('in place without an updater that covers it is an error that names the field, never an empty Success', async () => {
  await changed('running', 'in-place', 'seen')
  expect(await ask('canupdatemachineset', question)).toMatchObject({
    ...HELD,
    message: expect.stringContaining('machine: version'),
  })
})

test('in place by others than were known when it was approved holds: they would not be asked to do their part', async () => {
  const authority = await makeAuthority()
  const updater = await fakeUpdater(await makeLeaf(authority, ['127.0.0.1']))
  const desired = question.desired as { machineSet: { spec: { template: { spec: { version: string } } } } }
  const { version } = desired.machineSet.spec.template.spec
  updater.says.CanUpdateMachineSet = () => ({
    machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }),
  })
  const field = { object: 'machine', path: 'version', current: 'v1', desired: version }
  const by = async (coveredBy: string) => {
    await changed('running', 'in-place', 'seen')
    const pairs = [{ from: 'a', machines: 3, fingerprint, changes: [{ ...field, coveredBy }] }]
    await db().change.updateMany({ data: { changeSet: { pairs, fields: [] } as unknown as Prisma.InputJsonObject } })
    return ask('canupdatemachineset', question)
  }
  try {
    await db().updater.create({ data: { name: 'kubelet', url: updater.url, caPem: authority.certPem, position: 0 } })
    expect(await by('kubelet')).toMatchObject({ code: 200, status: 'Success' })
    expect(await by('another')).toMatchObject({
      ...HELD,
      message: expect.stringContaining('the updater kubelet would do a part of it') as string,
    })
  } finally {
    await db().updater.deleteMany({})
    await closeUpdaters()
    await updater.stop()
  }
})

test('UpdateMachine only for what was approved in place', async () => {
  expect(await ask('updatemachine', UPDATE)).toMatchObject(HELD)
})

test('UpdateMachine does not pass on another secret than the one that was approved', async () => {
  const changes = changesBetween(
    { machine: {}, bootstrap: { users: [{ passwd: 'old' }] } },
    { machine: {}, bootstrap: { users: [{ passwd: 'approved' }] } },
  )
  await changed('running', 'in-place', 'seen')
  const pairs = [{ from: 'a', machines: 3, fingerprint, changes: masked(changes, fingerprint, keyedDigest) }]
  expect(JSON.stringify(pairs)).not.toContain('approved')
  await db().change.updateMany({ data: { changeSet: { pairs, fields: [] } as unknown as Prisma.InputJsonObject } })
  const labels = { 'cluster.x-k8s.io/deployment-name': 'c1-md' }
  const machine = { metadata: { name: 'm', namespace: 'fleet', labels }, spec: {} }
  const asked = async (passwd: string) =>
    (await ask('updatemachine', { desired: { machine, bootstrapConfig: { spec: { users: [{ passwd }] } } } })).message
  expect(await asked('another')).toContain('this update was not approved in place')
  expect(await asked('approved')).toContain('no updater is configured any more')
})

test('what was approved over another connection to the same cluster says nothing here', async () => {
  const data = { name: 'before', server: 'https://127.0.0.1:1', state: 'disconnected' }
  const { id } = await db().managementCluster.create({ data })
  await changed('running', 'replace', 'seen', fingerprint, id)
  expect(await ask('canupdatemachineset', question)).toMatchObject({
    ...HELD,
    message: expect.stringContaining('not been seen'),
  })
  await changed('running', 'in-place', 'seen', fingerprint, id)
  const labels = { 'cluster.x-k8s.io/deployment-name': 'c1-md' }
  const update = { desired: { machine: { metadata: { name: 'm', namespace: 'fleet', labels }, spec: {} } } }
  expect(await ask('updatemachine', update)).toMatchObject({
    ...HELD,
    message: expect.stringContaining('not approved in place'),
  })
  await changed('running', 'in-place', 'seen')
  expect((await ask('updatemachine', update)).message).toContain('no updater is configured any more')
})

test('another token, garbage and other paths get no Success', async () => {
  await changed('running', 'replace', 'seen')
  expect(await ask('canupdatemachineset', question, 'x'.repeat(32))).toMatchObject({ code: 403, ...HELD })
  expect(await ask('canupdatemachineset', {})).toMatchObject(HELD)
  expect(await ask('aftercontrolplaneinitialized', {})).toMatchObject({ code: 404, ...HELD })
  expect(await ask('canupdatemachineset', question, token, '-'.repeat(36))).toMatchObject({ code: 404, ...HELD })
})

test('what it answered is written down, also where the change is gone by then', async () => {
  const written = (where: { hook?: string; message?: string }) => db().gateCall.findFirst({ where })
  // Once more where it was written before the change was gone: then it goes with that.
  await vi.waitFor(
    async () => {
      await db().gateCall.deleteMany({})
      await changed('waiting', null)
      await ask('canupdatemachineset', question)
      await db().change.deleteMany({})
      await ask('canupdatemachine', {})
      await expect.poll(() => written({ hook: 'CanUpdateMachine' }), { timeout: 5_000 }).not.toBeNull()
      expect(await written({ message: 'waiting for approval' })).toMatchObject({ changeId: null })
    },
    { timeout: 25_000 },
  )
})

test('what strangers send is bounded, one by one and all together, and leaves room again', async () => {
  const send = (bytes: number) =>
    request(`${gate.url}/latch`, { method: 'POST', body: Buffer.alloc(bytes, 'x'), dispatcher: agent }).then(
      async ({ statusCode, body }) => (await body.dump(), statusCode),
      () => 400,
    )
  expect(await send(5 * 1024 * 1024)).toBe(400)
  const all = await Promise.all(Array.from({ length: 24 }, () => send(4 * 1024 * 1024 - 1)))
  expect(new Set(all)).toEqual(new Set([400]))
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u' } }
  const answer = await request(`${gate.url}/latch`, {
    method: 'POST',
    body: JSON.stringify(review),
    dispatcher: agent,
  })
  expect(answer.statusCode).toBe(200)
  expect(await answer.body.json()).toMatchObject({ response: { uid: 'u', allowed: false } })
})

test('without a database it answers discovery, and every question with an error', async () => {
  await changed('running', 'replace', 'seen')
  const url = process.env.DATABASE_URL
  // Before what is open is closed: what runs meanwhile opens anew.
  process.env.DATABASE_URL = 'postgresql://nobody@127.0.0.1:1/none'
  await closeDatabase()
  try {
    expect((await ask('discovery', {})).handlers).toHaveLength(HANDLED.length)
    expect(await ask('canupdatemachineset', question)).toMatchObject({ code: 500, ...HELD })
    expect(await ask('updatemachine', UPDATE)).toMatchObject({ code: 500, ...HELD })
  } finally {
    process.env.DATABASE_URL = url
    await closeDatabase()
  }
  expect(await ask('canupdatemachineset', question)).toMatchObject({ status: 'Success' })
})
