import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import { rulesFromManifests, startApiServer, type Rule, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import type { Ctx, Role } from '@/lib/services/context'
import { getUpgradeable } from '@/lib/services/upgradeable/get-cluster'
import { listClusterUpdates } from '@/lib/services/upgradeable/list-clusters'
import { consumers } from '../parts'
import { startWorker, type Worker } from '../worker'

// How long a watch may be away before that counts is a test of its own (watching.unit.test.ts).
vi.mock('../hiccup', () => ({ HICCUP_MS: 1_000 }))
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })
useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const VERSIONS = 'clusterversions.config.openshift.io'
const OPERATORS = 'clusteroperators.config.openshift.io'
const GATES = 'openshift-config-managed/admin-gates'
const ACKS = 'openshift-config/admin-acks'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const SAYS_NO = { type: 'Upgradeable', status: 'False', reason: 'NotYet', message: 'read this' }

const all = rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()])
const rules: Rule[] = []
let server: RunningApiServer
let worker: Worker | null = null
let clusterId: string

const may = (...lost: string[]) => {
  const resources = (rule: Rule) => rule.resources?.filter((one) => !lost.includes(one))
  rules.splice(0, rules.length, ...(all.map((rule) => ({ ...rule, resources: resources(rule) })) as Rule[]))
}
const mayNotRead = (map: string) =>
  rules.splice(0, rules.length, ...rules.filter(({ resourceNames }) => !resourceNames?.includes(map)))
/** It is asked for anew. */
const cut = (name = VERSIONS) => server.register(server.resource(name))
const follow = async () => {
  const log = pino({ level: 'silent' })
  const followed = consumers.filter(({ name }) => name.startsWith('upgradeable'))
  worker = await startWorker({ consumers: followed, parts: [], intervalMs: 20, tickMs: 100, log })
}
const say = (of: string, name: string, conditions: JsonObject[]) =>
  server.store.merge(of, name, { status: { conditions } }, SOMEBODY, 'status')

beforeAll(async () => {
  may()
  server = await startApiServer({
    ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet() },
    users: { drydock: rules },
  })
  for (const { metadata } of server.store.list(OPERATORS)) await say(OPERATORS, metadata.name, [])
  const none = Object.fromEntries(Object.keys(server.store.get('configmaps', GATES)!.data ?? {}).map((k) => [k, null]))
  await server.store.merge('configmaps', GATES, { data: none }, SOMEBODY)
  await say(VERSIONS, 'version', [{ type: 'Available', status: 'True' }])
  clusterId = (await addCluster(as('admin'), { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  await follow()
  await until('updates to be open', async () => (await updates()).state === 'open')
})
afterEach(async () => {
  may()
  if (!worker) await follow()
  await say(OPERATORS, 'etcd', [])
  await say(VERSIONS, 'version', [{ type: 'Available', status: 'True' }])
  await until('updates to be open again', async () => (await updates()).state === 'open')
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
  const select = { state: true, sentence: true, unheardWhy: true }
  throw new Error(`Waited in vain for ${what}: ${JSON.stringify(await db().clusterUpdates.findFirst({ select }))}`)
}
const updates = () => getUpgradeable(as('viewer'), { cluster: clusterId })
const unknown = () => until('it to be unknown', async () => (await updates()).state === 'unknown' && updates())
const FORBIDDEN =
  /^Its ClusterVersion cannot be read: .*clusterversions.*forbidden.* Whether updates beyond 4\.\d+ are open is not known\.$/

test('whether updates are open is not known where ClusterVersion may not be read any more, wherever that stands', async () => {
  const before = await updates()
  expect(before).toMatchObject({
    unheard: null,
    sentence: expect.stringMatching(/^Updates beyond .* are open\.$/) as string,
  })
  may('clusterversions')
  cut()
  const now = await unknown()
  await say(VERSIONS, 'version', [SAYS_NO])
  expect(now.sentence).toMatch(FORBIDDEN)
  expect(now).toMatchObject({ condition: null, choices: [], underway: null, version: before.version })
  expect(Date.parse(now.unheard!.since!)).toBeLessThan(Date.now())
  const { clusters, counts } = await listClusterUpdates(as('viewer'), {})
  expect(clusters).toMatchObject([{ state: 'unknown', sentence: now.sentence, unheard: { since: now.unheard!.since } }])
  expect(counts).toMatchObject({ open: 0, unknown: 1 })
  may()
  const told = await until('it to be heard', async () => (await updates()).state === 'closed' && updates())
  expect(told).toMatchObject({ unheard: null, condition: { message: 'read this' } })
})

test('who objects by itself meanwhile is said, and what only ClusterVersion said is not', async () => {
  await say(VERSIONS, 'version', [SAYS_NO])
  await until('updates to be closed', async () => (await updates()).state === 'closed')
  may('clusterversions')
  cut()
  expect((await unknown()).blockers).toEqual([])
  await say(OPERATORS, 'etcd', [{ ...SAYS_NO, message: 'not so fast' }])
  const told = await until('its operator to be heard', async () => (await updates()).blockers.length > 0 && updates())
  expect(told).toMatchObject({
    state: 'unknown',
    blockers: [{ source: 'operator', item: 'etcd', message: 'not so fast' }],
  })
})

test('operators that may not be read any more say nothing of now: what ClusterVersion says of them holds', async () => {
  const read = async (how: string) => {
    const is = async () => (await updates()).read.operators === how
    return until(`operators to be ${how}`, async () => (await is()) && updates())
  }
  expect((await read('read')).state).toBe('open')
  await say(OPERATORS, 'etcd', [SAYS_NO])
  await until('updates to be about to close', async () => (await updates()).state === 'closing')
  may('clusteroperators')
  cut(OPERATORS)
  // It may have been repaired since.
  expect(await read('unreadable')).toMatchObject({ state: 'open', blockers: [], unheard: null })
  const message = 'Cluster operator etcd should not be upgraded between minor versions: NotYet: read this'
  await say(VERSIONS, 'version', [{ ...SAYS_NO, message }])
  const closed = await until('updates to be closed', async () => (await updates()).state === 'closed' && updates())
  expect(closed.blockers).toMatchObject([{ source: 'operator', item: 'etcd', said: 'both' }])
  await say(OPERATORS, 'etcd', [])
  may()
  expect((await read('read')).blockers).toMatchObject([{ item: 'etcd', said: 'no-longer' }])
})

test('operators that never could be read are said to be so', async () => {
  await worker!.stop()
  worker = null
  may('clusteroperators')
  await follow()
  await until('them to be unreadable', async () => (await updates()).read.operators === 'unreadable')
})

test('acknowledgements that may not be read any more count for nothing: each gate that ClusterVersion asks for is in the way', async () => {
  const { desired, history } = server.store.get(VERSIONS, 'version')!.status!
  const runs = (status: JsonObject) => server.store.merge(VERSIONS, 'version', { status }, SOMEBODY, 'status')
  const answer = (data: JsonObject) => server.store.merge('configmaps', ACKS, { data }, SOMEBODY)
  const [a, b] = ['ack-4.23-a', 'ack-4.23-b']
  const [asks, more] = ['Evaluate your workloads.', 'Evaluate your workloads. And read the notes.']
  const gates = (state: string) =>
    until(`gates to be ${state}`, async () => {
      const now = await updates()
      return now.gates.filter((gate) => gate.state === state).length === 2 && now
    })
  await runs({ desired: { version: '4.23.1' }, history: [{ state: 'Completed', version: '4.23.1' }] })
  await answer({ [a]: 'true', [b]: 'true' })
  await server.store.merge('configmaps', GATES, { data: { [a]: asks, [b]: more } }, SOMEBODY)
  await gates('acknowledged')
  mayNotRead('admin-acks')
  cut('configmaps')
  const unread = await gates('unknown')
  expect(unread).toMatchObject({ state: 'open', read: { acks: 'unreadable', gates: 'read' }, unheard: null })
  // Taken back since.
  await answer({ [a]: null, [b]: null })
  const message = `Cluster should not be upgraded between minor or major versions for multiple reasons:\n* ${asks}\n* ${more}`
  await say(VERSIONS, 'version', [{ ...SAYS_NO, reason: 'MultipleReasons', message }])
  const closed = await until('updates to be closed', async () => (await updates()).state === 'closed' && updates())
  expect(closed.sentence).toMatch(/^2 reasons keep updates beyond 4.23 closed/)
  expect(closed.blockers.map(({ item, message, said }) => [item, message, said])).toEqual([
    [a, asks, 'both'],
    [b, more, 'both'],
  ])
  may()
  await gates('waiting')
  await server.store.merge('configmaps', GATES, { data: { [a]: null, [b]: null } }, SOMEBODY)
  await runs({ desired: desired!, history: history! })
})

test('a gate that could not be read for a while is there since it was seen first', async () => {
  await server.store.merge('configmaps', GATES, { data: { 'ack-4.23-c': 'Evaluate.' } }, SOMEBODY)
  const one = () => until('the gate', async () => (await updates()).gates.find(({ name }) => name === 'ack-4.23-c'))
  await one()
  const firstSeenAt = new Date('2026-10-01T08:00:00Z')
  await db().adminGate.updateMany({ data: { firstSeenAt } })
  mayNotRead('admin-gates')
  cut('configmaps')
  const unread = await until('it to be unread', async () => (await updates()).read.gates === 'unreadable' && updates())
  expect(unread.gates).toEqual([])
  may()
  expect(await one()).toMatchObject({ firstSeenAt: firstSeenAt.toISOString() })
  await server.store.merge('configmaps', GATES, { data: { 'ack-4.23-c': null } }, SOMEBODY)
  await until('it to be gone', async () => (await db().adminGate.count()) === 0)
})

test('a worker that begins and may not read it takes nothing of before for what is now', async () => {
  await worker!.stop()
  worker = null
  const { lastHeardAt } = await db().stream.findFirstOrThrow({ where: { clusterId, resource: VERSIONS } })
  may('clusterversions')
  await follow()
  const now = await unknown()
  expect(now.sentence).toMatch(FORBIDDEN)
  expect(now).toMatchObject({ choices: [], unheard: { since: lastHeardAt!.toISOString() } })
})
