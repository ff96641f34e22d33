import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { pool } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { createKubeClient } from '@/lib/kubernetes/client'
import { startReflector, type Reflector } from '@/lib/kubernetes/reflector'
import type { KubeClient, KubeObject, Resource, WatchEvent } from '@/lib/kubernetes/types'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from '../process'
import type { TestCluster } from '../types'
import { clientOf, credentialsOf } from './as'
import { cuttable } from './cuttable'
import { NAMESPACES, raw } from './speaking'
import { MD } from './watching'
import { differing, MACHINE_DEPLOYMENT } from './writes/objects'

const CONFIG_MAPS: Resource = { group: '', version: 'v1', plural: 'configmaps' }
type Followed = Parameters<typeof startReflector>[0]['client']

/** From the write's answer to the event: a second, and what a busy machine adds. */
const SOON = { ms: 2_000, every: 10 }

/** What is on the cluster is known within a second, whatever happens to the connection. */
export function watchSuite(open: () => Promise<TestCluster>): void {
  let cluster: TestCluster
  let admin: KubeClient
  let ns: string
  const running: { stop(): Promise<void> }[] = []

  beforeAll(async () => {
    cluster = await open()
    admin = cluster.admin
    ns = await cluster.namespace()
  })
  afterEach(async () => {
    for (const one of running.splice(0).reverse()) await one.stop()
  })
  afterAll(async () => cluster?.stop())

  const map = (name: string, value: string) =>
    admin.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } }, ns)
  const change = (name: string, value: string) => admin.patch(CONFIG_MAPS, name, ns, 'merge', { data: { value } })
  const remove = (name: string) => admin.delete(CONFIG_MAPS, name, ns)

  /** A MachineDeployment that no manager moves. */
  const group = (name: string, at = ns) => {
    const paused = { metadata: { name, annotations: { 'cluster.x-k8s.io/paused': '' } } }
    return admin.create(MD, differing(MACHINE_DEPLOYMENT, paused) as JsonObject, at)
  }

  function follow(client: Followed, resource = CONFIG_MAPS, namespace: string | undefined = ns) {
    const seen = new Map<string, KubeObject>()
    const lists: boolean[] = []
    const reflector = startReflector({
      client,
      resource,
      namespace,
      pageSize: 2,
      backoff: { floorMs: 50, capMs: 200 },
      sink: {
        upsert: (object) => void seen.set(object.metadata.name, object),
        remove: (key) => void seen.delete(key.slice(key.indexOf('/') + 1)),
        synced: (first) => void lists.push(first),
      },
    })
    running.push(reflector)
    return { seen, lists, reflector }
  }
  const watching = (reflector: Reflector) =>
    until('the watch', () => Promise.resolve(reflector.status().state === 'watching'), { ms: 10_000, every: 10 })
  const sees = (seen: Map<string, KubeObject>, name: string, value: string | undefined) =>
    until(`${name} to be ${value ?? 'gone'}`, () => Promise.resolve(seen.get(name)?.data?.value === value), SOON)

  test('the list first, in pages, then every change as it happens', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await map(`list-${name}`, '1')
    const { seen, lists, reflector } = follow(admin)
    await watching(reflector)
    expect([...seen.keys()].filter((name) => name.startsWith('list-'))).toHaveLength(5)
    await map('list-f', '1')
    await sees(seen, 'list-f', '1')
    await change('list-a', '2')
    await sees(seen, 'list-a', '2')
    await remove('list-b')
    await sees(seen, 'list-b', undefined)
    await map('list-b', '3')
    await sees(seen, 'list-b', '3')
    expect(lists).toEqual([true])
    expect(reflector.status()).toMatchObject({ state: 'watching', relists: 0, synced: true })
  })

  test('a watch that was cut resumes where it was, without a new list', async () => {
    const way = await cuttable(credentialsOf(cluster.adminKubeconfig).server)
    const client = createKubeClient({ ...credentialsOf(cluster.adminKubeconfig), server: way.url })
    running.push({ stop: () => client.close() }, way)
    await map('cut-a', '1')
    await map('cut-b', '1')
    const { seen, lists, reflector } = follow(client)
    await watching(reflector)
    const uid = seen.get('cut-a')!.metadata.uid
    way.cut()
    await until('the loss to be seen', () => Promise.resolve(reflector.status().state === 'backoff'), {
      ms: 5_000,
      every: 5,
    })
    await change('cut-a', '2')
    await remove('cut-b')
    await map('cut-c', '1')
    way.restore()
    await sees(seen, 'cut-c', '1')
    expect(seen.get('cut-a')).toMatchObject({ data: { value: '2' }, metadata: { uid } })
    expect(seen.has('cut-b')).toBe(false)
    expect(lists).toEqual([true])
  })

  test('a version that the server has forgotten means a new list, and what was deleted meanwhile is found', async () => {
    await Promise.all([group('gone-a'), group('gone-b')])
    let forgotten = false
    const client: Followed = {
      ...admin,
      watch(resource, namespace, options) {
        if (forgotten) return admin.watch(resource, namespace, options)
        forgotten = true
        // As after a day without a network: the oldest version there is.
        return (async function* (): AsyncGenerator<WatchEvent> {
          await admin.delete(MD, 'gone-a', ns)
          await admin.patch(MD, 'gone-b', ns, 'merge', { spec: { replicas: 5 } })
          yield* admin.watch(resource, namespace, { ...options, resourceVersion: '1' })
        })()
      },
    }
    const { seen, lists, reflector } = follow(client, MD)
    await until('the new list', () => Promise.resolve(lists.length === 2), { ms: 10_000, every: 10 })
    await watching(reflector)
    expect(lists).toEqual([true, false])
    expect(seen.has('gone-a')).toBe(false)
    expect(seen.get('gone-b')?.spec?.replicas).toBe(5)
  })

  test('a bookmark says where the list that comes as a watch is complete', async () => {
    const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${await cluster.namespace()}/machinedeployments`
    const query = 'watch=true&allowWatchBookmarks=true&timeoutSeconds=3&sendInitialEvents=true'
    const more = '&resourceVersionMatch=NotOlderThan'
    const { code, text } = await raw(cluster.adminKubeconfig, 'GET', `${path}?${query}${more}`)
    expect(code).toBe(200)
    const first = JSON.parse(text.split('\n')[0]!) as { type: string; object: KubeObject }
    const { apiVersion, kind, metadata } = first.object
    expect({ type: first.type, apiVersion, kind }).toEqual({
      type: 'BOOKMARK',
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDeployment',
    })
    expect(metadata.resourceVersion).toMatch(/^[1-9]\d*$/)
    expect(metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
  })

  test('an object that leaves a selector is deleted for who watches it', async () => {
    await admin.create(
      CONFIG_MAPS,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'moving', labels: { in: 'yes' } } },
      ns,
    )
    const { resourceVersion } = await admin.list(CONFIG_MAPS, ns)
    const abort = new AbortController()
    const heard: string[] = []
    const listening = (async () => {
      const options = { resourceVersion, labelSelector: 'in=yes', signal: abort.signal }
      for await (const { type, object } of admin.watch(CONFIG_MAPS, ns, options))
        if (type !== 'BOOKMARK') heard.push(`${type} ${(object as KubeObject).metadata.name}`)
    })()
    const label = (value: string) =>
      admin.patch(CONFIG_MAPS, 'moving', ns, 'merge', { metadata: { labels: { in: value } } })
    await label('no')
    await label('yes')
    await change('moving', '1')
    await remove('moving')
    await until('four events', () => Promise.resolve(heard.length === 4), SOON)
    abort.abort()
    await listening
    expect(heard).toEqual(['DELETED moving', 'ADDED moving', 'MODIFIED moving', 'DELETED moving'])
  })

  test('several kinds at once, with Drydock’s own rights', async () => {
    const drydock = clientOf(cluster.kubeconfig)
    running.push({ stop: () => drydock.close() })
    const groups = follow(drydock, MD)
    const older = follow(drydock, { ...MD, version: 'v1beta1' })
    const namespaces = follow(drydock, NAMESPACES, '')
    await Promise.all([groups, older, namespaces].map(({ reflector }) => watching(reflector)))
    await group('kinds')
    const made = await cluster.namespace()
    await until(
      'all three',
      () => Promise.resolve(groups.seen.has('kinds') && older.seen.has('kinds') && namespaces.seen.has(made)),
      SOON,
    )
    expect(groups.seen.get('kinds')?.apiVersion).toBe('cluster.x-k8s.io/v1beta2')
    expect(older.seen.get('kinds')?.apiVersion).toBe('cluster.x-k8s.io/v1beta1')
  })

  describe('the worker’s read model', () => {
    const rows = async (sql: string, ...values: unknown[]) =>
      (await pool().query<Record<string, unknown>>(sql, values)).rows
    let worker: Worker

    afterAll(async () => worker?.stop())

    test('has the cluster’s machines and groups, and follows them', async () => {
      const name = 'followed'
      const place = await cluster.namespace()
      const workers = { replicas: 2, maxSurge: 1, maxUnavailable: 0 }
      await cluster.workloadCluster({ namespace: place, name, version: 'v1.34.0', workers })
      const id = randomUUID()
      const { server } = credentialsOf(cluster.kubeconfig)
      await pool().query('INSERT INTO management_cluster (id, name, server) VALUES ($1, $2, $3)', [
        id,
        `mc-${id}`,
        server,
      ])
      await pool().query(
        'INSERT INTO cluster_credential (cluster_id, sealed, key_id, updated_at) VALUES ($1, $2, $3, now())',
        [id, Buffer.alloc(1), 'k'],
      )
      const drydock = clientOf(cluster.kubeconfig)
      worker = await startWorker({
        consumers: [],
        parts: [],
        clientFor: () => Promise.resolve(drydock),
        log: pino({ level: 'silent' }),
      })
      const machines = () =>
        rows('SELECT name, version, state, group_name FROM machine WHERE namespace = $1 ORDER BY name', place)
      await until('three rows', async () => (await machines()).length === 3, { ms: 20_000, every: 50 })
      const real = await cluster.machines(place, name)
      expect((await machines()).map((row) => row.name)).toEqual(real.map((m) => m.metadata.name).sort())
      expect(await machines()).toEqual(
        (await machines()).map((row) => ({ ...row, version: 'v1.34.0', state: 'ready' })),
      )
      const groups = await rows(
        'SELECT kind, name, version FROM machine_group WHERE namespace = $1 ORDER BY kind',
        place,
      )
      expect(groups).toEqual([
        { kind: 'KubeadmControlPlane', name: `${name}-cp`, version: 'v1.34.0' },
        { kind: 'MachineDeployment', name: `${name}-md`, version: 'v1.34.0' },
      ])
      await admin.patch(MD, `${name}-md`, place, 'merge', { spec: { replicas: 3 } })
      await until('a fourth machine', async () => (await cluster.machines(place, name)).length === 4, {
        ms: 20_000,
        every: 20,
      })
      await until('its row', async () => (await machines()).length === 4, SOON)
      await admin.patch(MD, `${name}-md`, place, 'merge', { spec: { replicas: 1 } })
      await until('two machines', async () => (await cluster.machines(place, name)).length === 2, {
        ms: 150_000,
        every: 50,
      })
      await until('two rows', async () => (await machines()).length === 2, SOON)
      const left = await cluster.machines(place, name)
      expect((await machines()).map((row) => row.name)).toEqual(left.map((m) => m.metadata.name).sort())
      await worker.stop()
      await drydock.close()
    })
  })
}
