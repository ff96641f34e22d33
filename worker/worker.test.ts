import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pino } from 'pino'
import { db, pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { createKubeClient } from '@/lib/kubernetes/client'
import { discoverGates } from '@/lib/kubernetes/discovery/gates'
import { fakeServer, type FakeServer } from '@/lib/kubernetes/testing/fake-server'
import type { KubeClient } from '@/lib/kubernetes/types'
import { cluster, machine, machineDeployment, machineSet } from '@/lib/providers/cluster-api/testing/objects'
import { forgetClient, kubeClientFor } from '@/lib/services/clusters/connection'
import { writeSecrets } from '@/lib/services/clusters/secrets'
import type { Consumer, ObjectChange } from './types'
import { startWorker, type Worker, type WorkerOptions } from './worker'

useTestDatabase()

const V = '/apis/cluster.x-k8s.io/v1beta2'
let server: FakeServer
let client: KubeClient
let workers: Worker[]

beforeEach(async () => {
  server = await fakeServer()
  client = createKubeClient({ server: server.url })
  await connect(server.url)
  workers = []
  put(cluster('c1', {}, { controlPlane: { versions: [{ version: 'v1.34.0', replicas: 1 }] } }), 'clusters')
  put(machineDeployment('c1-md'), 'machinedeployments')
  put(machineSet('c1-md-s5fgz', 'c1-md'), 'machinesets')
  for (let i = 0; i < 7; i++) put(machine({ name: `m${i}` }), 'machines')
})

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await client.close()
  await server.stop()
  await pool().query('DELETE FROM management_cluster')
})

function put(object: ReturnType<typeof machine>, plural: string, uid?: string) {
  const metadata = { ...object.metadata, uid: uid ?? uidOf(object.metadata.name) }
  server.putAt(`${V}/${plural}`, { ...object, metadata } as never)
}

const uids = new Map<string, string>()
function uidOf(name: string): string {
  if (!uids.has(name)) uids.set(name, randomUUID())
  return uids.get(name)!
}

async function connect(url: string): Promise<string> {
  const id = randomUUID()
  await pool().query('INSERT INTO management_cluster (id, name, server) VALUES ($1, $2, $3)', [id, `mc-${id}`, url])
  await pool().query(
    'INSERT INTO cluster_credential (cluster_id, sealed, key_id, updated_at) VALUES ($1, $2, $3, now())',
    [id, Buffer.alloc(1), 'k'],
  )
  return id
}

async function start(options: Partial<WorkerOptions> = {}): Promise<Worker> {
  const worker = await startWorker({
    consumers: [],
    parts: [],
    clientFor: () => Promise.resolve(client),
    discover: () => Promise.resolve(CAPABILITIES),
    leaseTtlMs: 1500,
    tickMs: 300,
    pageSize: 3,
    log: pino({ level: 'silent' }),
    ...options,
  })
  workers.push(worker)
  return worker
}

const rows = async (sql: string) => (await pool().query<Record<string, unknown>>(sql)).rows
const until = (check: () => unknown) => expect.poll(check, { timeout: 15_000, interval: 25 })
const machines = () => rows('SELECT name, version, state FROM machine ORDER BY name')
const lease = async () => (await rows('SELECT owner, fence FROM cluster_lease'))[0]

test('what the API server has becomes rows, and follows', async () => {
  await start()
  await until(async () => (await machines()).length).toBe(7)
  expect(
    await rows(`SELECT m.group_kind, m.group_name, m.machine_set, m.state FROM machine m WHERE name = 'm0'`),
  ).toEqual([{ group_kind: 'MachineDeployment', group_name: 'c1-md', machine_set: 'c1-md-s5fgz', state: 'ready' }])
  // The MachineSet is a revision of its MachineDeployment, not a group.
  expect(await rows('SELECT kind, name, version FROM machine_group')).toEqual([
    { kind: 'MachineDeployment', name: 'c1-md', version: 'v1.34.0' },
  ])
  expect(await rows('SELECT name, version FROM workload_cluster')).toEqual([{ name: 'c1', version: 'v1.34.0' }])
  put(machine({ name: 'm0', version: 'v1.34.1' }), 'machines')
  server.removeAt(`${V}/machines`, 'fleet/m1')
  await until(() => rows(`SELECT name, version FROM machine WHERE name IN ('m0', 'm1')`)).toEqual([
    { name: 'm0', version: 'v1.34.1' },
  ])
  await until(() => rows('SELECT state, state_message FROM management_cluster')).toEqual([
    { state: 'connected', state_message: null },
  ])
  await until(() => rows(`SELECT state, objects FROM stream WHERE resource = 'machines.cluster.x-k8s.io'`)).toEqual([
    { state: 'watching', objects: 6 },
  ])
})

test('the planner’s verdict survives what the projector writes', async () => {
  await start()
  await until(async () => (await machines()).length).toBe(7)
  await pool().query(`UPDATE machine SET verdict = 'replace', verdict_reason = 'because' WHERE name = 'm0'`)
  put(machine({ name: 'm0', version: 'v1.34.9' }), 'machines')
  await until(() => rows(`SELECT version, verdict, verdict_reason FROM machine WHERE name = 'm0'`)).toEqual([
    { version: 'v1.34.9', verdict: 'replace', verdict_reason: 'because' },
  ])
})

test('rows of what was deleted while nobody watched go with the first list', async () => {
  const first = await start()
  await until(async () => (await machines()).length).toBe(7)
  await first.stop()
  server.removeAt(`${V}/machines`, 'fleet/m3')
  server.removeAt(`${V}/machinedeployments`, 'fleet/c1-md')
  server.removeAt(`${V}/clusters`, 'fleet/c1')
  await start()
  await until(async () => (await machines()).length).toBe(6)
  await until(() => rows('SELECT name FROM machine_group')).toEqual([])
  await until(() => rows('SELECT name FROM workload_cluster')).toEqual([])
})

test('a group made anew under the same name replaces the row of the old one', async () => {
  await start()
  await until(() => rows('SELECT id FROM machine_group')).toEqual([{ id: uidOf('c1-md') }])
  server.removeAt(`${V}/machinedeployments`, 'fleet/c1-md')
  const uid = randomUUID()
  put(machineDeployment('c1-md'), 'machinedeployments', uid)
  await until(() => rows('SELECT id FROM machine_group')).toEqual([{ id: uid }])
})

test('a worker that cannot read a schema goes by what was found before', async () => {
  const openshift = { version: '4.22.4', skew: true, controlPlanes: true, managed: null, machineApi: true }
  const found = (skew: boolean | null) => () =>
    Promise.resolve({ ...CAPABILITIES, openshift: { ...openshift, skew, controlPlanes: skew } })
  const first = await start({ discover: found(true) })
  const discovered = () => rows('SELECT discovery FROM management_cluster')
  await until(discovered).toMatchObject([{ discovery: { openshift } }])
  await first.stop()
  await pool().query('UPDATE management_cluster SET discovered_at = NULL')
  await start({ discover: found(null) })
  await until(() => rows('SELECT discovered_at FROM management_cluster WHERE discovered_at IS NOT NULL')).toHaveLength(
    1,
  )
  expect(await discovered()).toMatchObject([{ discovery: { openshift } }])
})

test('one of two workers owns the cluster; the other takes over when it stops', async () => {
  const [a, b] = [await start(), await start()]
  await until(async () => (await machines()).length).toBe(7)
  const before = (await lease())!
  const [owner, other] = before.owner === a.owner ? [a, b] : [b, a]
  expect(before.owner).toBe(owner.owner)
  const lists = server.requests.filter((r) => r === 'list').length
  await owner.stop()
  await until(async () => (await lease())?.owner).toBe(other.owner)
  expect(BigInt((await lease())!.fence as string)).toBeGreaterThan(BigInt(before.fence as string))
  await until(() => server.requests.filter((r) => r === 'list').length).toBeGreaterThan(lists)
  put(machine({ name: 'm0', version: 'v1.35.0' }), 'machines')
  await until(() => rows(`SELECT version FROM machine WHERE name = 'm0'`)).toEqual([{ version: 'v1.35.0' }])
})

test('a worker whose lease was taken writes nothing any more, and lets go', async () => {
  await start()
  await until(async () => (await machines()).length).toBe(7)
  await pool().query(
    `UPDATE cluster_lease SET owner = 'somebody else', fence = fence + 1, until = now() + interval '1 hour'`,
  )
  for (let i = 0; i < 7; i++) put(machine({ name: `m${i}`, version: 'v1.36.0' }), 'machines')
  await until(() => server.watches()).toBe(0)
  expect((await machines()).map((m) => m.version)).toEqual(Array(7).fill('v1.34.0'))
})

test('a disconnected cluster is let go at once, without a restart', async () => {
  await start({ tickMs: 60_000 })
  await until(() => server.watches()).toBe(5)
  await pool().query(`UPDATE management_cluster SET state = 'disconnected'`)
  await pool().query(`SELECT pg_notify('drydock', '{"topic":"clusters"}')`)
  await until(() => server.watches()).toBe(0)
})

test('the connections to a cluster that another process disconnected end', async () => {
  await pool().query('DELETE FROM cluster_credential')
  const id = String((await rows('SELECT id FROM management_cluster'))[0]!.id)
  await db().$transaction((tx) => writeSecrets(tx, id, { server: server.url }))
  await start({ clientFor: undefined })
  await until(() => server.watches()).toBe(5)
  const kept = await kubeClientFor(id)
  await kept.raw('/version')
  await pool().query(`UPDATE management_cluster SET state = 'disconnected'`)
  await until(() => server.watches()).toBe(0)
  await until(() => kept.raw('/version').then(String, String)).toContain('closed by Drydock')
})

test('a connection that somebody else in this process closed is made anew by itself', async () => {
  await pool().query('DELETE FROM cluster_credential')
  const id = String((await rows('SELECT id FROM management_cluster'))[0]!.id)
  await db().$transaction((tx) => writeSecrets(tx, id, { server: server.url }))
  await start({ clientFor: undefined })
  await until(() => server.watches()).toBe(5)
  forgetClient(id)
  await until(() => server.watches()).toBe(0)
  put(machine({ name: 'm0', version: 'v1.34.1' }), 'machines')
  await until(() => rows(`SELECT version FROM machine WHERE name = 'm0'`)).toEqual([{ version: 'v1.34.1' }])
  await until(() => rows('SELECT state, state_message FROM management_cluster')).toEqual([
    { state: 'connected', state_message: null },
  ])
})

test('a cluster that cannot be reached says so, and comes back by itself', async () => {
  const nobody = createKubeClient({ server: 'http://127.0.0.1:9' })
  let reachable = false
  await start({
    clientFor: () => Promise.resolve(reachable ? client : nobody),
    discover: (given) => given.raw('/version').then(() => CAPABILITIES),
  })
  await until(() => rows('SELECT state, state_message FROM management_cluster')).toEqual([
    { state: 'unreachable', state_message: 'Nothing listens at the server address (connection refused).' },
  ])
  reachable = true
  await until(async () => (await machines()).length).toBe(7)
  await until(() => rows('SELECT state FROM management_cluster')).toEqual([{ state: 'connected' }])
  await nobody.close()
})

test('feature gates that somebody switches on are known long before the whole is discovered again', async () => {
  let args: string[] = []
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
  const get: KubeClient['get'] = (_, name) =>
    Promise.resolve({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, uid: 'u', generation: 1 } as never },
      spec: { replicas: 1, template: { spec: { containers: [{ name: 'manager', args }] } } },
      status: { observedGeneration: 1, ...counts },
    })
  const state = () => rows(`SELECT discovery->'gates'->'inPlaceUpdates'->>'state' AS gate FROM management_cluster`)
  const discover = async (given: KubeClient) => ({ ...CAPABILITIES, ...(await discoverGates(given, CAPABILITIES)) })
  await start({ discover, gatesMs: 100, clientFor: () => Promise.resolve({ ...client, get }) })
  await until(state).toEqual([{ gate: 'off' }])
  args = ['--feature-gates=InPlaceUpdates=true,RuntimeSDK=true']
  await until(state).toEqual([{ gate: 'on' }])
})

test('what Drydock may do there is asked again at once where somebody has the cluster looked at', async () => {
  let username = 'old'
  const [{ id } = {}] = await rows('SELECT id FROM management_cluster')
  await start({
    gatesMs: 600_000,
    discover: () => Promise.resolve({ ...CAPABILITIES, identity: { ...CAPABILITIES.identity, username } }),
  })
  const found = () => rows('SELECT identity FROM management_cluster')
  await until(found).toEqual([{ identity: 'old' }])
  await until(async () => (await machines()).length).toBe(7)
  username = 'new'
  await announce(pool(), { topic: 'clusters', cluster: id as string, discover: true })
  await until(found).toEqual([{ identity: 'new' }])
})

test('a permission that is missing is said on stream and cluster, the rest is watched', async () => {
  const message = 'machinepools.cluster.x-k8s.io is forbidden: User "drydock" cannot list resource "machinepools"'
  server.forbid(/machinepools/, message)
  await start()
  await until(async () => (await machines()).length).toBe(7)
  await until(() => rows(`SELECT state, message FROM stream WHERE resource = 'machinepools.cluster.x-k8s.io'`)).toEqual(
    [{ state: 'backoff', message }],
  )
  await until(async () => (await rows('SELECT state, state_message FROM management_cluster'))[0]).toEqual({
    state: 'connected',
    state_message: `Drydock may not read machinepools.cluster.x-k8s.io: ${message}`,
  })
})

test('the database goes away and comes back: nothing is lost', async () => {
  await start()
  await until(async () => (await machines()).length).toBe(7)
  const name = (await rows('SELECT current_database() AS name'))[0]!.name as string
  const kill = () =>
    pool().query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [name],
    )
  for (let i = 0; i < 7; i++) {
    put(machine({ name: `m${i}`, version: `v1.35.${i}` }), 'machines')
    await kill()
  }
  await until(async () => (await machines()).map((m) => m.version)).toEqual(
    [0, 1, 2, 3, 4, 5, 6].map((i) => `v1.35.${i}`),
  )
})

test('consumers hear once of the whole, then of the newest state of what changed, after its rows are written', async () => {
  const heard: (ObjectChange & { row: unknown })[] = []
  let synced = 0
  const consumer: Consumer = {
    name: 'test',
    resources: ['machinedeployments.cluster.x-k8s.io', 'machines.cluster.x-k8s.io'],
    onSynced: async (view) => {
      synced++
      expect([...view.objects('machinedeployments.cluster.x-k8s.io').keys()]).toEqual(['fleet/c1-md'])
      expect(view.objects('machines.cluster.x-k8s.io').size).toBe(0)
      expect(await machines()).toHaveLength(7)
    },
    onChanges: async (_, changes) => {
      for (const change of changes) {
        const found = await pool().query('SELECT version FROM machine WHERE id = $1', [change.object.metadata.uid])
        heard.push({ ...change, row: found.rows[0] })
      }
    },
  }
  await start({ consumers: [consumer] })
  await until(() => synced).toBe(1)
  for (let i = 1; i <= 20; i++) put(machine({ name: 'm0', version: `v1.35.${i}` }), 'machines')
  server.removeAt(`${V}/machines`, 'fleet/m1')
  await until(() => heard.map((h) => `${h.type} ${h.key}`)).toContain('delete fleet/m1')
  await until(() => heard.filter((h) => h.key === 'fleet/m0').at(-1)?.object.spec?.version).toBe('v1.35.20')
  expect(heard.filter((h) => h.key === 'fleet/m0').length).toBeLessThan(10)
  expect(heard.filter((h) => h.key === 'fleet/m0').at(-1)?.row).toEqual({ version: 'v1.35.20' })
})

test('health and metrics answer', async () => {
  const worker = await start({ port: 0 })
  await until(async () => (await machines()).length).toBe(7)
  const url = `http://127.0.0.1:${worker.port}`
  await until(async () => (await fetch(`${url}/healthz`)).status).toBe(200)
  await until(async () => (await fetch(`${url}/metrics`)).text()).toMatch(
    /drydock_stream_objects\{cluster="[^"]+",resource="machines.cluster.x-k8s.io"\} 7/,
  )
})

const CAPABILITIES: Capabilities = {
  kubernetes: 'v1.34.2',
  clusterApi: { version: 'v1.14.0', apiVersion: 'v1beta2', served: ['v1beta2'], contracts: ['v1beta2'] },
  providers: [],
  openshift: null,
  gates: { inPlaceUpdates: { state: 'on', how: '' }, runtimeSdk: { state: 'on', how: '' } },
  latch: { policy: 'v1', webhook: true, guard: true },
  resources: Object.fromEntries(
    ['clusters', 'machinedeployments', 'machinesets', 'machinepools', 'machines'].map((p) => [
      `${p}.cluster.x-k8s.io`,
      'v1beta2',
    ]),
  ),
  missingPermissions: [],
  identity: { username: 'drydock', groups: [] },
}
