import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { workOff } from './marked'
import { NODES_BEHIND } from './nodes-behind'

useTestDatabase()

const run = async <T extends object>(sql: string): Promise<T[]> => (await pool().query<T>(sql)).rows
const marks = async () => (await run('SELECT DISTINCT cluster_id FROM nodes_behind_stale')).length
const countAll = async () => {
  while ((await workOff(pool(), NODES_BEHIND)) > 0);
}

interface Found {
  cluster: string
  workload: string
  node: string
}

/** Machine by machine, and of each its node and that node's pool. */
async function oneByOne(): Promise<Record<string, number>> {
  const found = await run<Found>(`
    SELECT m.cluster_id AS cluster, max(m.workload_cluster) AS workload, m.node FROM machine m, config_node k, config_pool p
    WHERE m.verdict = 'up-to-date' AND m.up_to_date IS NOT FALSE AND k.cluster_id = m.cluster_id AND k.name = m.node
      AND p.cluster_id = k.cluster_id AND p.name = k.pool AND p.updated < p.machines AND (k.phase <> 'updated' OR p.updated = 0)
    GROUP BY 1, 3`)
  const counts: Record<string, number> = {}
  for (const { cluster, workload } of found) {
    const key = `${cluster}/${workload}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}
const kept = async () => {
  const rows = await run<{ key: string; behind: number }>(
    `SELECT cluster_id || '/' || workload_cluster AS key, behind FROM nodes_behind`,
  )
  return Object.fromEntries(rows.map(({ key, behind }) => [key, behind]))
}
async function right(): Promise<void> {
  await countAll()
  expect(await marks()).toBe(0)
  expect(await kept()).toEqual(await oneByOne())
}

const FLEET = [
  `INSERT INTO management_cluster (id, name, server) VALUES (gen_random_uuid(), 'a', ''), (gen_random_uuid(), 'b', '')`,
  `INSERT INTO config_pool (id, cluster_id, name, machines, updated, resource_version)
   SELECT gen_random_uuid(), c.id, p.name, p.machines, p.updated, '1' FROM management_cluster c,
     (VALUES ('worker', 6, 2), ('infra', 2, 2), ('master', 3, 0)) p(name, machines, updated)`,
  `INSERT INTO config_node (id, cluster_id, pool, name, phase)
   SELECT gen_random_uuid(), c.id, (ARRAY['worker', 'infra', 'master'])[1 + i % 3], 'n' || i, (ARRAY['updated', 'pending'])[1 + i % 2]
   FROM management_cluster c, generate_series(1, 12) i`,
  `INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, control_plane, node, verdict, up_to_date, phase, state, sentence, resource_version, created_at)
   SELECT gen_random_uuid(), c.id, 'machine.openshift.io', 'ns', 'm' || i, 'w-' || c.name, false, 'n' || i,
     (ARRAY['up-to-date', 'up-to-date', 'replace'])[1 + i % 3 * (i % 2)], CASE WHEN i % 5 = 0 THEN false END, '', 'ready', '', '1', now()
   FROM management_cluster c, generate_series(1, 10) i`,
]
async function fleet(): Promise<void> {
  for (const sql of ['DELETE FROM management_cluster', ...FLEET]) await run(sql)
  await countAll()
}
beforeEach(fleet)

const one = <T>(...values: T[]) => fc.constantFrom(...values)
const some = fc
  .tuple(fc.nat(2), fc.integer({ min: 2, max: 5 }))
  .map(([k, n]) => `abs(hashtext(id::text)) % ${n} = ${k}`)
const update = (table: string, ...what: string[]) =>
  fc.tuple(one(...what), some).map(([set, which]) => `UPDATE ${table} SET ${set} WHERE ${which}`)
const statement = fc.oneof(
  update(
    'machine',
    `verdict = 'replace'`,
    `verdict = 'up-to-date'`,
    'up_to_date = false',
    'up_to_date = NULL',
    'node = NULL',
    `workload_cluster = 'other'`,
    `node = 'n' || 1 + abs(hashtext(id::text)) % 14`,
    `sentence = 'x'`,
  ),
  update('config_node', `phase = 'updated'`, `phase = 'draining'`, `pool = 'infra'`, `name = 'x-' || id`),
  update('config_pool', 'updated = 0', 'updated = machines', 'updated = 1', 'machines = machines + 1', `name = 'x-' || id`),
  fc.tuple(one('machine', 'config_node', 'config_pool'), some).map(([table, which]) => `DELETE FROM ${table} WHERE ${which}`),
  one('TRUNCATE machine', 'TRUNCATE config_node', 'TRUNCATE config_pool', `DELETE FROM management_cluster WHERE name = 'a'`),
) // prettier-ignore

describe('nodes that their pool is behind for', () => {
  it('are what each machine by itself tells, whatever is written', async () => {
    expect(Object.keys(await oneByOne())).toHaveLength(2)
    await right()
    const steps = fc.array(fc.tuple(statement, fc.boolean()), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(steps, async (statements) => {
        await fleet()
        for (const [sql, counted] of statements) {
          await run(sql)
          if (counted) await right()
        }
        await right()
      }),
      { numRuns: 60 },
    )
  }, 120_000)

  it.each([
    ['machines say', `UPDATE machine SET sentence = 'other', severity = 3, resource_version = '2'`],
    ['nodes do on their way', `UPDATE config_node SET phase = 'draining', seen_at = now() WHERE phase <> 'updated'`],
    ['pools say', `UPDATE config_pool SET sentence = 'other', ready = 3, seen_at = now()`],
  ])('are not counted anew for what %s', async (_what, sql) => {
    await run(sql)
    expect(await marks()).toBe(0)
    await right()
  })

  it('are told when their number changes, and only then', async () => {
    const listener = await pool().connect()
    const heard: unknown[] = []
    listener.on('notification', ({ payload }) => heard.push(JSON.parse(payload!)))
    await listener.query('LISTEN drydock')
    const [{ id }] = (await run<{ id: string }>(`SELECT id FROM management_cluster WHERE name = 'a'`)) as [{ id: string }] // prettier-ignore
    const counted = async (sql: string) => {
      await run(sql.replace('$', `cluster_id = '${id}'`))
      await right()
      await listener.query('SELECT 1')
      return heard.splice(0)
    }
    expect(await counted(`UPDATE config_pool SET updated = 0 WHERE $ AND name = 'worker'`)).toEqual([
      { topic: 'groups', cluster: id },
    ])
    expect(await counted(`UPDATE machine SET node = 'unknown' WHERE $ AND verdict = 'replace'`)).toEqual([])
    expect(await counted('DELETE FROM config_pool WHERE $')).toEqual([{ topic: 'groups', cluster: id }])
    listener.release(true)
  })
})
