import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { pool } from '@/lib/db/client'
import { Listening } from '@/lib/db/listen'
import type { Announcement } from '@/lib/db/notify'
import { useTestDatabase } from '@/lib/db/testing'
import type { GroupRow, HealthCheckRow, MachineRow, WorkloadClusterRow } from '@/lib/domain/rows'
import { pruneAfterList, writeBatch, type Batch } from './batch'
import type { Fence } from './fence'

useTestDatabase()

let fence: Fence

/** A cluster that this worker owns, followed from now on. */
async function connect(): Promise<void> {
  fence = { clusterId: randomUUID(), owner: 'me', fence: 1n }
  const { clusterId } = fence
  await pool().query(`INSERT INTO management_cluster (id, name, server) VALUES ($1, $2, 'https://x')`, [
    clusterId,
    `mc-${clusterId}`,
  ])
  await pool().query(`INSERT INTO cluster_lease (cluster_id, owner, fence, until) VALUES ($1, 'me', 1, now())`, [
    clusterId,
  ])
}
beforeEach(connect)

const machine = (over: Partial<MachineRow> = {}): MachineRow => ({
  id: randomUUID(),
  provider: 'cluster.x-k8s.io',
  namespace: 'fleet',
  name: 'm',
  workloadCluster: 'c1',
  groupKind: 'MachineDeployment',
  groupName: 'md',
  machineSet: null,
  controlPlane: false,
  node: null,
  version: 'v1.34.0',
  versionKey: '000001.000034.000000',
  phase: 'Running',
  failureDomain: null,
  state: 'ready',
  severity: 0,
  sentence: 'Running v1.34.0.',
  ready: true,
  available: true,
  upToDate: null,
  updating: false,
  deleting: false,
  deletingSince: null,
  checkFailedSince: null,
  ...{ checkWords: null, remediationReason: null, remediationWords: null },
  ...{ skipRemediation: false, skipMark: null, labels: null, amiss: null },
  notReadySince: null,
  deleteMarked: false,
  unhealthy: false,
  plane: null,
  error: null,
  trouble: null,
  troubleWords: null,
  ...{ bootImage: null, bootImageVersion: null, provisionedSince: null, joining: null },
  providerId: null,
  resourceVersion: '1',
  createdAt: '2026-01-02T03:04:05Z',
  ...over,
})

const group = (over: Partial<GroupRow> = {}): GroupRow => ({
  ...{ heldSince: null, ownPause: null },
  ...{ drainSeconds: null, detachSeconds: null },
  id: randomUUID(),
  kind: 'MachineDeployment',
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  namespace: 'fleet',
  name: 'md',
  workloadCluster: 'c1',
  version: null,
  desiredReplicas: 3,
  replicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  upToDateReplicas: 3,
  strategy: null,
  maxSurge: null,
  maxUnavailable: '25%',
  deletionOrder: null,
  paused: false,
  held: null,
  governed: true,
  rollingOut: false,
  conditions: [],
  topologyName: null,
  etcd: null,
  resourceVersion: '1',
  generation: 4,
  observedGeneration: 4,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  ...over,
})

const nothing = { upsert: [], remove: [] }
const batch = (over: Partial<Batch>): Batch => ({
  machines: nothing,
  groups: nothing,
  workloadClusters: nothing,
  healthChecks: nothing,
  heardAt: 1,
  ...over,
})
const machines = (...upsert: MachineRow[]) => batch({ machines: { upsert, remove: [] } })
const groups = (...upsert: GroupRow[]) => batch({ groups: { upsert, remove: [] } })

async function sentences(): Promise<string[]> {
  const { rows } = await pool().query<{ sentence: string }>(
    'SELECT sentence FROM machine WHERE cluster_id = $1 ORDER BY name',
    [fence.clusterId],
  )
  return rows.map((row) => row.sentence)
}

test('a NUL character in one machine’s message stops neither it nor its batch', async () => {
  const bad = { name: 'm1', sentence: 'Not ready: a\u0000b\\u0000.', error: '\u0000' }
  const written = await writeBatch(
    pool(),
    fence,
    machines(machine({ name: 'm0' }), machine(bad), machine({ name: 'm2' })),
  )
  expect(written).toBe(3)
  expect(await sentences()).toEqual(['Running v1.34.0.', 'Not ready: ab\\u0000.', 'Running v1.34.0.'])
})

test('a NUL character, or half a character, in a condition of a group stops nothing either', async () => {
  const conditions = [{ type: 'Ready', message: 'a\u0000b \ud800 "c" \\ {d}' }]
  await writeBatch(pool(), fence, groups(group({ name: 'g0', conditions }), group({ name: 'g1' })))
  const { rows } = await pool().query(
    'SELECT name, conditions FROM machine_group WHERE cluster_id = $1 ORDER BY name',
    [fence.clusterId],
  )
  expect(rows).toEqual([
    { name: 'g0', conditions: [{ type: 'Ready', message: 'ab \ufffd "c" \\ {d}' }] },
    { name: 'g1', conditions: [] },
  ])
})

test('a number beyond what its column holds stops nothing either', async () => {
  const [generation, seconds] = [Number('9223372036854775807'), 700_000 * 3_600]
  const odd = group({ name: 'g0', drainSeconds: seconds, replicas: -seconds, observedGeneration: generation })
  await writeBatch(pool(), fence, groups(odd, group({ name: 'g1', drainSeconds: 20 })))
  const { rows } = await pool().query(
    'SELECT drain_seconds AS s, replicas AS r, observed_generation::text AS g FROM machine_group WHERE cluster_id = $1 ORDER BY name',
    [fence.clusterId],
  )
  expect(rows).toEqual([
    { s: 2_147_483_647, r: -2_147_483_647, g: '9007199254740991' },
    { s: 20, r: 3, g: '4' },
  ])
})

test('the failure domains of a Cluster come back as they were written: none listed is not the same as not known', async () => {
  const row = (name: string, domains: WorkloadClusterRow['domains']): WorkloadClusterRow => ({
    ...{ id: randomUUID(), namespace: 'fleet', name, provider: 'cluster-api', version: null, phase: null },
    ...{ topologyClass: null, paused: false, conditions: [], domains, labels: {} },
  })
  const upsert = [row('c0', ['a', 'b"']), row('c1', []), row('c2', null)]
  await writeBatch(pool(), fence, batch({ workloadClusters: { upsert, remove: [] } }))
  expect(await writeBatch(pool(), fence, batch({ workloadClusters: { upsert, remove: [] } }))).toBe(0)
  const { rows } = await pool().query(
    'SELECT name, domains FROM workload_cluster WHERE cluster_id = $1 AND domains IS NOT NULL ORDER BY name',
    [fence.clusterId],
  )
  expect(rows).toEqual([
    { name: 'c0', domains: ['a', 'b"'] },
    { name: 'c1', domains: [] },
  ])
})

test('any text comes back as it was written, and nothing is taken for a change that is none', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'NULL', 'null', '{}', '"', '\\', ',', '{"a",b}', ' ', '\n', '💥', 'é', '\ud800x'),
  )
  const optional = fc.option(text)
  const some = fc.record({
    sentence: text,
    error: optional,
    node: optional,
    version: optional,
    upToDate: fc.option(fc.boolean()),
  })
  const stored = (value: string | null) => value && Buffer.from(value.replaceAll('\0', '')).toString()
  await fc.assert(
    fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 20 }), async (wanted) => {
      const rows = wanted.map((over, i) => machine({ ...over, name: String(i).padStart(3, '0'), severity: i }))
      expect(await writeBatch(pool(), fence, machines(...rows))).toBe(rows.length)
      expect(await writeBatch(pool(), fence, machines(...rows.map((row) => ({ ...row, resourceVersion: '2' }))))).toBe(
        0,
      )
      const { rows: seen } = await pool().query(
        `SELECT sentence, error, node, version, up_to_date AS "upToDate", severity, created_at AS at FROM machine
         WHERE id = ANY($1) ORDER BY name`,
        [rows.map((row) => row.id)],
      )
      const at = new Date('2026-01-02T03:04:05Z')
      expect(seen).toEqual(
        wanted.map(({ sentence, error, node, version, upToDate }, severity) => ({
          ...{ sentence: stored(sentence), error: stored(error), node: stored(node), version: stored(version) },
          ...{ upToDate, severity, at },
        })),
      )
    }),
    { numRuns: 25 },
  )
})

test('only what changed is announced, by name where it is little', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => machine({ name: `m${i}` }))
  const heard: Announcement[] = []
  const listening = new Listening()
  const stop = listening.add((what) => {
    if (what.kind === 'announcement' && what.message.cluster === fence.clusterId) heard.push(what.message)
  })
  try {
    await expect.poll(() => listening.connected).toBe(true)
    expect(await writeBatch(pool(), fence, machines(...rows))).toBe(60)
    const [first] = rows
    const again = [{ ...first!, sentence: 'Not ready.' }, ...rows.slice(1)]
    const gone = { upsert: again, remove: [rows[59]!.id] }
    expect(
      await writeBatch(pool(), fence, batch({ machines: { ...gone, upsert: again.slice(0, 59) }, heardAt: 7 })),
    ).toBe(2)
    expect(await writeBatch(pool(), fence, machines(...again.slice(0, 59)))).toBe(0)
    const keep = rows.slice(0, 58).map((row) => row.id)
    const only = { provider: 'cluster.x-k8s.io' }
    expect(
      await pruneAfterList(pool(), fence, { resource: 'machines.cluster.x-k8s.io', table: 'machines', only, keep }),
    ).toBe(1)
    await expect.poll(() => heard.length).toBe(3)
    expect(heard[0]!.ids).toBeUndefined()
    expect(heard[1]).toMatchObject({ heardAt: 7 })
    expect(new Set(heard[1]!.ids)).toEqual(new Set([first!.id, rows[59]!.id]))
    expect(heard[2]!.ids).toEqual([rows[58]!.id])
  } finally {
    stop()
  }
})

test('health checks come back as they were written, and those that a complete list lacks go, of this cluster only', async () => {
  const spec = { selector: { labels: { a: 'b' }, expressions: [] }, node: [], machine: [], startupSeconds: 600 }
  const check = (name: string): HealthCheckRow => ({
    ...{ id: randomUUID(), namespace: 'fleet', name, workloadCluster: 'c1', paused: false, targets: 3, healthy: null },
    spec: { ...spec, limit: { atMost: '40%' }, external: null },
  })
  const upsert = [check('a'), check('b')]
  expect(await writeBatch(pool(), fence, batch({ healthChecks: { upsert, remove: [] } }))).toBe(2)
  expect(await writeBatch(pool(), fence, batch({ healthChecks: { upsert, remove: [] } }))).toBe(0)
  await pool().query(
    `INSERT INTO management_cluster (id, name, server) VALUES (gen_random_uuid(), 'other', 'https://y')`,
  )
  await pool().query(`INSERT INTO machine_health_check (id, cluster_id, namespace, name, workload_cluster, spec)
    SELECT gen_random_uuid(), id, 'fleet', 'a', 'c1', '{}' FROM management_cluster WHERE name = 'other'`)
  const keep = [upsert[1]!.id]
  expect(
    await pruneAfterList(pool(), fence, {
      resource: 'machinehealthchecks.cluster.x-k8s.io',
      table: 'healthChecks',
      only: {},
      keep,
    }),
  ).toBe(1)
  const { rows } = await pool().query('SELECT name, spec FROM machine_health_check WHERE cluster_id = $1', [
    fence.clusterId,
  ])
  expect(rows).toEqual([{ name: 'b', spec: upsert[1]!.spec }])
  const others = await pool().query('SELECT 1 FROM machine_health_check WHERE cluster_id <> $1', [fence.clusterId])
  expect(others.rowCount).toBe(1)
})

test('a group made anew under its old name replaces the old row', async () => {
  const [old, other] = [group(), group({ name: 'other' })]
  await writeBatch(pool(), fence, groups(old, other))
  const anew = group({ generation: 1 })
  await writeBatch(pool(), fence, groups(anew))
  const { rows } = await pool().query('SELECT id FROM machine_group WHERE cluster_id = $1 ORDER BY name', [
    fence.clusterId,
  ])
  expect(rows.map((row: { id: string }) => row.id)).toEqual([anew.id, other.id])
})

test('what another connection left behind is this one’s now, and what was let go there counts no more', async () => {
  const [left, before] = [{ group: group(), machine: machine() }, fence.clusterId]
  const write = () => writeBatch(pool(), fence, { ...machines(left.machine), groups: groups(left.group).groups })
  await write()
  await pool().query(`UPDATE machine_group SET let_go = 'x' WHERE cluster_id = $1`, [before])
  expect(await write()).toBe(0)
  const letGo = async () =>
    (await pool().query('SELECT cluster_id, let_go FROM machine_group WHERE id = $1', [left.group.id])).rows
  expect(await letGo()).toEqual([{ cluster_id: before, let_go: 'x' }])
  await connect()
  expect(await write()).toBe(2)
  expect(await letGo()).toEqual([{ cluster_id: fence.clusterId, let_go: null }])
  const { rows } = await pool().query(
    'SELECT cluster_id, sum(n)::int AS n FROM machine_tally WHERE cluster_id = ANY($1) GROUP BY 1',
    [[before, fence.clusterId]],
  )
  expect(rows).toEqual([{ cluster_id: fence.clusterId, n: 1 }])
})

test('what is of a cluster that is connected, another one does not take by answering with its uids', async () => {
  const [mine, owner] = [machine(), fence.clusterId]
  expect(await writeBatch(pool(), fence, machines(mine))).toBe(1)
  await pool().query(
    `INSERT INTO cluster_credential (cluster_id, sealed, key_id, updated_at) VALUES ($1, '\\x00', 'none', now())`,
    [owner],
  )
  await connect()
  expect(await writeBatch(pool(), fence, machines({ ...mine, sentence: 'Taken.' }))).toBe(0)
  const { rows } = await pool().query('SELECT cluster_id, sentence FROM machine WHERE id = $1', [mine.id])
  expect(rows).toEqual([{ cluster_id: owner, sentence: mine.sentence }])
  // Its page says so, from its first list until it is another's no more.
  const resource = 'machines.cluster.x-k8s.io'
  const list = { resource, table: 'machines' as const, only: { provider: 'cluster.x-k8s.io' }, keep: [mine.id] }
  const elsewhere = async () => {
    const found = await pool().query('SELECT elsewhere, elsewhere_in FROM stream WHERE cluster_id = $1', [
      fence.clusterId,
    ])
    return (found.rows as { elsewhere: number }[]).map((row) => row.elsewhere)
  }
  await pruneAfterList(pool(), fence, list)
  expect(await elsewhere()).toEqual([1])
  await pool().query('DELETE FROM cluster_credential WHERE cluster_id = $1', [owner])
  expect(await writeBatch(pool(), fence, machines(mine))).toBe(1)
  await pruneAfterList(pool(), fence, list)
  expect(await elsewhere()).toEqual([0])
})

test('who does not own the lease writes nothing', async () => {
  await expect(writeBatch(pool(), { ...fence, fence: 2n }, machines(machine()))).rejects.toThrow(
    'owns the management cluster',
  )
  expect(await sentences()).toEqual([])
})

test('since when an instance has no node only ever goes back, and is forgotten when it has one', async () => {
  const id = randomUUID()
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour))
  const write = async (provisionedSince: Date | null) => {
    const changed = await writeBatch(pool(), fence, machines(machine({ id, provisionedSince })))
    const { rows } = await pool().query<{ at: Date | null }>(
      'SELECT provisioned_since AS at FROM machine WHERE id = $1',
      [id],
    )
    return [changed, rows[0]!.at]
  }
  expect(await write(at(6))).toEqual([1, at(6)])
  expect(await write(at(9))).toEqual([0, at(6)])
  expect(await write(at(5))).toEqual([1, at(5)])
  expect(await write(null)).toEqual([1, null])
  expect(await write(at(9))).toEqual([1, at(9)])
})
