import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { db, pool, type Tx } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { RELEASE } from '@/lib/domain/latch/names'
import type { KubeClient, KubeError } from '@/lib/kubernetes/types'
import { as, failure, latchedCluster } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { startGate, type Gate } from '@/worker/gate'
import { recordAudit } from '../audit/record'
import { registerGate } from '../gate/register-gate'
import { kubeClientFor } from './connection'
import { disconnectCluster } from './disconnect-cluster'
import { recoverDisconnects } from './recover-disconnect'

/** So much later it is by the database's clock. */
const later = vi.hoisted(() => ({ ms: 0 }))
vi.mock('@/lib/db/now', async (original) => {
  const { databaseNow } = await original<typeof import('@/lib/db/now')>()
  return { databaseNow: async (tx: Tx) => new Date((await databaseNow(tx)).getTime() + later.ms) }
})

// A disconnect that stood still for so long that the worker undid it: people decide there again.
useTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir
const admin = as('admin')
const EXTENSIONS = { group: 'runtime.cluster.x-k8s.io', version: 'v1beta2', plural: 'extensionconfigs' }
const at = latchedCluster()
let gate: Gate

beforeAll(async () => void (gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })))
beforeEach(async () => {
  await registerGate(admin, { clusterId: at.clusterId, url: gate.url })
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { state: 'connected' } })
})
afterAll(async () => {
  await gate?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const disconnect = () => disconnectCluster(admin, { clusterId: at.clusterId, confirm: 'm' })
const cluster = () => db().managementCluster.findUniqueOrThrow({ where: { id: at.clusterId } })
const registration = () =>
  at.cluster.admin
    .get(EXTENSIONS, 'drydock')
    .catch((error: KubeError) => (error.code === 404 ? null : Promise.reject(error)))
const newest = (take: number) => db().auditEvent.findMany({ orderBy: { id: 'desc' }, take })

/** Where it stands still, of its calls about the registration. */
type Moment = 'the second look' | 'the mark' | 'the deletion'

/** The worker finds it there. */
const recovered = async () => expect(await recoverDisconnects(0)).toEqual(['m'])

/** It stands still before or after such a call, while this is done; its own calls from then on go on. */
async function standsStill(when: 'before' | 'after', moment: Moment, meanwhile: () => Promise<unknown>): Promise<void> {
  const client = await kubeClientFor(at.clusterId)
  const { list, patch, delete: remove } = client
  const all = { list, patch, delete: remove }
  let looks = 0
  const here = async <T>(call: () => Promise<T>, plural: string, is: Moment): Promise<T> => {
    const mine = is === 'the second look' ? plural === MD.plural && ++looks === 2 : plural === EXTENSIONS.plural
    if (is !== moment || !mine) return call()
    Object.assign(client, all)
    if (when === 'before') await meanwhile()
    const answer = await call()
    if (when === 'after') await meanwhile()
    return answer
  }
  client.list = (...args) => here(() => list(...args), args[0].plural, 'the second look')
  client.patch = ((...args) => here(() => patch(...args), args[0].plural, 'the mark')) as KubeClient['patch']
  client.delete = (...args) => here(() => remove(...args), args[0].plural, 'the deletion')
}

test.each<['before' | 'after', Moment]>([
  ['before', 'the second look'],
  ['before', 'the mark'],
  ['after', 'the mark'],
  ['before', 'the deletion'],
])('%s %s: it deletes no registration, and leaves it guarded', async (when, moment) => {
  await standsStill(when, moment, recovered)
  expect(await failure(disconnect())).toMatchObject({
    ...{ code: 'conflict', message: 'm took so long to disconnect that it was connected again.' },
  })
  expect((await registration())?.metadata.annotations ?? {}).not.toHaveProperty([RELEASE])
  expect(await registration()).not.toBeNull()
  expect(await cluster()).toMatchObject({ state: 'pending', stateMessage: null, gateState: 'registered' })
  expect(await db().clusterCredential.count()).toBe(1)
  const [own, worker] = await newest(2)
  expect(own).toMatchObject({ action: 'cluster.disconnected', result: 'failed', actorName: 'Ada' })
  expect(worker).toMatchObject({ action: 'cluster.disconnected', result: 'failed', actorKind: 'system' })
})

test('shortly before the worker loses patience it deletes nothing any more, and is connected as before', async () => {
  await standsStill('after', 'the mark', () => Promise.resolve((later.ms = 4.5 * 60_000)))
  const refused = await failure(disconnect()).finally(() => (later.ms = 0))
  expect(refused.message).toBe('m takes so long to disconnect that it is about to be connected again.')
  expect((await registration())?.metadata.annotations ?? {}).not.toHaveProperty([RELEASE])
  expect(await registration()).not.toBeNull()
  expect(await cluster()).toMatchObject({ state: 'connected', gateState: 'registered' })
})

test('after the deletion: both say on record that the registration is gone, and it stays connected', async () => {
  await standsStill('after', 'the deletion', recovered)
  expect((await failure(disconnect())).message).toContain('was connected again')
  expect(await registration()).toBeNull()
  expect(await cluster()).toMatchObject({ state: 'pending', stateMessage: null })
  expect(await db().clusterCredential.count()).toBe(1)
  const [own, worker] = await newest(2)
  expect(own!.answer).toContain('registration deleted')
  expect(worker!.answer).toContain('there is no registration of the gate any more')
})

/** As somebody else records it. */
const beginsAnew = () =>
  db().$transaction(async (tx) => {
    const data = { state: 'disconnected', stateMessage: 'Being disconnected by Ada.' }
    await tx.managementCluster.update({ where: { id: at.clusterId }, data })
    const target = { kind: 'ManagementCluster', id: at.clusterId, name: 'm' }
    await recordAudit(tx, admin, { action: 'cluster.disconnect', target })
  })

test('connected again, and disconnected anew meanwhile: it ends that one no more than it ends itself', async () => {
  await standsStill('before', 'the mark', async () => {
    await recovered()
    await beginsAnew()
  })
  expect((await failure(disconnect())).message).toBe('Somebody began to disconnect m anew meanwhile.')
  expect(await registration()).not.toBeNull()
  expect(await cluster()).toMatchObject({ state: 'disconnected', stateMessage: 'Being disconnected by Ada.' })
  expect(await db().clusterCredential.count()).toBe(1)
  await recovered()
})

test('disconnected anew while the worker takes it up: that one is not connected again', async () => {
  await beginsAnew()
  await at.cluster.admin.patch(EXTENSIONS, 'drydock', undefined, 'merge', {
    metadata: { annotations: { [RELEASE]: 'disconnected in Drydock' } },
  })
  await standsStill('after', 'the mark', beginsAnew)
  expect(await recoverDisconnects(0)).toEqual([])
  expect(await cluster()).toMatchObject({ state: 'disconnected', stateMessage: 'Being disconnected by Ada.' })
  await recovered()
})

test('whoever waits for it in a circle when it ends is no reason to leave it half-way', async () => {
  const { change } = await at.held()
  const until = new Date(Date.now() + 60_000)
  await db().clusterLease.create({ data: { clusterId: at.clusterId, owner: 'w', fence: 1n, until } })
  const other = await pool().connect()
  let circle: Promise<unknown> = Promise.resolve()
  await standsStill('after', 'the deletion', async () => {
    await other.query('BEGIN')
    await other.query('SELECT 1 FROM change WHERE id = $1 FOR UPDATE', [change.id])
    const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    circle = expect
      .poll(async () => (await pool().query(waits)).rowCount, { interval: 10, timeout: 10_000 })
      .toBe(1)
      .then(() => other.query('SELECT 1 FROM cluster_lease WHERE cluster_id = $1 FOR SHARE', [at.clusterId]))
      .finally(() => other.query('ROLLBACK'))
  })
  await disconnect()
  // The database ended the disconnect's transaction, for that had waited longer.
  await circle
  other.release()
  expect(await cluster()).toMatchObject({ state: 'disconnected', stateMessage: 'Disconnected by Ada.' })
  expect((await newest(1))[0]).toMatchObject({ action: 'cluster.disconnected', result: 'ok' })
})
