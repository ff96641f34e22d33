import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { KubeError } from '@/lib/kubernetes/types'
import { as, failure, latchedCluster } from '@/testenv/deciding'
import { lookedAt, unnamed } from '@/testenv/unnamed'
import { MD } from '@/testenv/held'
import { startGate, type Gate } from '@/worker/gate'
import { registerGate } from '../gate/register-gate'
import { kubeClientFor } from './connection'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

useTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir
const admin = as('admin')
const EXTENSIONS = { group: 'runtime.cluster.x-k8s.io', version: 'v1beta2', plural: 'extensionconfigs' }
const at = latchedCluster()
let gate: Gate
let held: string
let loose: string
let known: Capabilities
let undo = () => {}

beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  await registerGate(admin, { clusterId: at.clusterId, url: gate.url })
  const { namespace: governed, name } = await at.held()
  held = `MachineDeployment ${governed}/${name}`
  const namespace = await at.cluster.namespace()
  await at.cluster.workloadCluster({
    ...{ namespace, name: 'loose', version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 1 } },
  })
  loose = `MachineDeployment ${namespace}/loose-md`
  const spec = { template: { spec: { version: 'v1.34.1' } } }
  await at.cluster.admin.patch(MD, 'loose-md', namespace, 'merge', { spec })
  const row = await db().managementCluster.findUniqueOrThrow({ where: { id: at.clusterId } })
  known = row.discovery as unknown as Capabilities
})
// The last look named nothing of Cluster API.
const missed = () => lookedAt(at.clusterId, known, /cluster\.x-k8s\.io$/, { clusterApi: null })
afterEach(() => undo())
afterAll(async () => {
  await gate?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const plan = () => planDisconnect(admin, { clusterId: at.clusterId })
const disconnect = () => disconnectCluster(admin, { clusterId: at.clusterId, confirm: 'm' })
const registered = () =>
  at.cluster.admin.get(EXTENSIONS, 'drydock').then(
    () => true,
    (error: KubeError) => (error.code === 404 ? false : Promise.reject(error)),
  )
async function expectNotAsked(words: RegExp): Promise<void> {
  const refused = { code: 'unavailable', message: expect.stringMatching(words) as string }
  expect(await failure(plan())).toMatchObject({
    ...refused,
    more: { hint: expect.stringMatching(/try again/) as string },
  })
  expect(await failure(disconnect())).toMatchObject(refused)
  expect(await registered()).toBe(true)
  expect(await db().clusterCredential.count()).toBe(1)
  expect(await db().auditEvent.count({ where: { action: 'cluster.disconnect' } })).toBe(0)
}

test('what the last look missed is asked for: nothing that waits is taken for nothing', async () => {
  await missed()
  const found = await plan()
  expect(found).toMatchObject({ registered: true, staysHeld: [held], wouldMove: [{ group: loose }] })
  expect(found.sentences.join(' ')).toContain('The registration of the gate is released')
  expect(await failure(disconnect())).toMatchObject({ code: 'conflict' })
  expect(await registered()).toBe(true)
})

test('an API server that does not name it now is not believed: its definition is there', async () => {
  await missed()
  undo = unnamed(await kubeClientFor(at.clusterId), 'there')
  await expectNotAsked(/has machinedeployments\.cluster\.x-k8s\.io, and its API server does not name them now/)
})

test('also where only the registration is not named', async () => {
  await lookedAt(at.clusterId, known, /^extensionconfigs/)
  undo = unnamed(await kubeClientFor(at.clusterId), 'there', /^runtime\.cluster/)
  await expectNotAsked(/has extensionconfigs\.runtime\.cluster\.x-k8s\.io/)
})

test('nor where its definition cannot be read, and it was there', async () => {
  await missed()
  undo = unnamed(await kubeClientFor(at.clusterId), 'unread')
  await expectNotAsked(/does not name .* now, and their definition cannot be read/)
  // By its latch alone, where no row tells of it any more.
  const where = { id: at.clusterId }
  await db().managementCluster.update({ where, data: { gateState: 'unregistered' } })
  const rows = await db().group.findMany()
  await db().group.deleteMany()
  await expectNotAsked(/cannot be read/)
  await db().group.createMany({ data: rows as never })
  await db().managementCluster.update({ where, data: { gateState: 'registered' } })
})

test('taken out for good, there is nothing to ask, and it can be left', async () => {
  await missed()
  undo = unnamed(await kubeClientFor(at.clusterId), 'gone')
  expect(await plan()).toMatchObject({
    ...{ registered: false, staysHeld: [], wouldMove: [], goesOn: [] },
    sentences: [expect.stringContaining('Drydock holds nothing here') as string, expect.any(String) as string],
  })
})

test('what is registered after it was asked what moves is not released', async () => {
  await lookedAt(at.clusterId, known, /^extensionconfigs/)
  const client = await kubeClientFor(at.clusterId)
  undo = unnamed(client, 'gone', /^runtime\.cluster/)
  expect(await plan()).toMatchObject({ registered: false, wouldMove: [] })
  const before = undo
  const update = client.list
  // Named again as soon as everything was asked the second time.
  let looks = 0
  client.list = async (resource, ...rest) => {
    if (resource.plural === 'kubeadmcontrolplanes' && ++looks === 2) {
      before()
      await lookedAt(at.clusterId, known, /^$/)
    }
    return update(resource, ...rest)
  }
  undo = () => (client.list = update)
  const done = await disconnect()
  expect(done.registered).toBe(false)
  expect(await registered()).toBe(true)
})
