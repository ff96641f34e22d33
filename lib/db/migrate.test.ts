import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { migrate } from './migrate'

const server = inject('testServer').url
const folder = (name: string, sql: string): void => {
  mkdirSync(join(dir, name), { recursive: true })
  writeFileSync(join(dir, name, 'migration.sql'), sql)
}
let dir: string
let url: string

async function run<T extends pg.QueryResultRow>(on: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: on })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'drydock-migrate-'))
  const name = `drydock_m_${randomBytes(6).toString('hex')}`
  await run(server, `CREATE DATABASE ${name}`)
  const changed = new URL(server)
  changed.pathname = `/${name}`
  url = changed.toString()
})

afterEach(async () => {
  rmSync(dir, { recursive: true, force: true })
  await run(server, `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`)
})

describe('migrate', () => {
  it('applies the real migrations once, also when four processes start together', async () => {
    const runs = await Promise.all([1, 2, 3, 4].map(() => migrate(url)))
    expect(runs.filter((names) => names.length > 0)).toHaveLength(1)
    const rows = await run<{ n: number }>(
      url,
      'SELECT count(*)::int AS n FROM _prisma_migrations WHERE finished_at IS NOT NULL',
    )
    expect(rows[0]?.n).toBe(runs.flat().length)
    expect(await migrate(url)).toEqual([])
  })

  it('carries boot image decisions of an older Drydock over, the newest of those under way as the one that is', async () => {
    const OWN = '20261125040000_openshift_actions'
    cpSync('prisma/migrations', dir, { recursive: true, filter: (path) => !path.includes(OWN) })
    rmSync(join(dir, 'migration_lock.toml'))
    const later = readdirSync(dir).filter((name) => name > OWN)
    for (const name of later) rmSync(join(dir, name), { recursive: true })
    await migrate(url, { dir })
    await run(
      url,
      `INSERT INTO management_cluster (id, name, server) VALUES ('00000000-0000-4000-8000-000000000001', 'tidal', 'x');
       INSERT INTO skew_action (id, cluster_id, action, version, actor_id, actor_name, state, recorded_at)
       SELECT ('00000000-0000-4000-8000-0000000000' || n)::uuid, '00000000-0000-4000-8000-000000000001', 'acknowledge',
              '4.16.0', 'u1', 'l.varga', state, now() + n * interval '1 minute'
       FROM (VALUES (11, 'seen'), (12, 'applying'), (13, 'recorded'), (14, 'failed')) AS a(n, state)`,
    )
    expect(await migrate(url)).toContain(OWN)
    const rows = await run(
      url,
      'SELECT kind, target, state, steps, error IS NOT NULL AS told FROM skew_action ORDER BY recorded_at',
    )
    const carried = { kind: 'skew', target: 'machineconfigurations/cluster', steps: [] }
    expect(rows).toEqual([
      { ...carried, state: 'seen', told: false },
      { ...carried, state: 'failed', told: true },
      { ...carried, state: 'recorded', told: false },
      { ...carried, state: 'failed', told: false },
    ])
  })

  it('marks what nobody can tell who deleted in what became of control planes that were let go in place, and of nothing else', async () => {
    const OWN = '20261130234500_unwell_when_it_went'
    cpSync('prisma/migrations', dir, { recursive: true, filter: (path) => !path.includes(OWN) })
    rmSync(join(dir, 'migration_lock.toml'))
    const later = readdirSync(dir).filter((name) => name > OWN)
    for (const name of later) rmSync(join(dir, name), { recursive: true })
    await migrate(url, { dir })
    await run(
      url,
      `WITH m AS (INSERT INTO management_cluster (id, name, server) VALUES (gen_random_uuid(), 'tidal', 'x') RETURNING id),
       c AS (
         INSERT INTO change (id, cluster_id, group_id, group_kind, namespace, group_name, workload_cluster, fingerprint, state, summary, change_set,
           outlook, held_by, resource_version, machines, outcome)
         SELECT gen_random_uuid(), m.id, gen_random_uuid(), kind, 'n', name, 'w', 'f', 'running', '', '{}', outlook::jsonb, 'none', '1', 3, outcome::jsonb
         FROM m, (VALUES
           ('both', 'KubeadmControlPlane', '{}', '{"byOthers": 1}'), ('replaced', 'KubeadmControlPlane', '{"inPlace": {}}', '{"byOthers": 1}'),
           ('nobody', 'KubeadmControlPlane', '{"inPlace": {}}', '{"madeUp": 1}'), ('cannot', 'KubeadmControlPlane', '{"inPlace": null}', '{"byOthers": 1}'),
           ('planned', 'KubeadmControlPlane', '{"inPlace": {}}', '{"deleted": 1}'), ('unknown', 'KubeadmControlPlane', '{}', NULL),
           ('workers', 'MachineDeployment', '{"inPlace": {}}', '{"byOthers": 1}')) AS a(name, kind, outlook, outcome)
         RETURNING id, group_name)
       INSERT INTO decision (id, change_id, fingerprint, mode, actor_id, actor_name, state, accepted_at)
       SELECT gen_random_uuid(), c.id, 'f', mode, 'u', 'u', 'seen', now()
       FROM c JOIN (VALUES ('both', 'in-place'), ('both', 'replace'), ('replaced', 'replace')) AS d(name, mode) ON d.name = c.group_name`,
    )
    expect(await migrate(url)).toContain(OWN)
    const rows = await run<{ name: string }>(
      url,
      `SELECT group_name AS name FROM change WHERE outcome @> '{"unforetold": true}' ORDER BY 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual(['both', 'nobody'])
  })

  it('keeps pools latched where a latch held them before that was chosen, and nowhere else', async () => {
    const OWN = '20261125130000_pools_latched_before'
    cpSync('prisma/migrations', dir, { recursive: true, filter: (path) => !path.includes(OWN) })
    rmSync(join(dir, 'migration_lock.toml'))
    const later = readdirSync(dir).filter((name) => name > OWN)
    for (const name of later) rmSync(join(dir, name), { recursive: true })
    await migrate(url, { dir })
    await run(
      url,
      `WITH c AS (
         INSERT INTO management_cluster (id, name, server, latch_form, discovery)
         SELECT gen_random_uuid(), name, name, form, jsonb_build_object('clusterApi', '{}'::jsonb, 'resources', CASE WHEN pools
           THEN '{"machineconfigpools.machineconfiguration.openshift.io": "v1"}'::jsonb ELSE '{}'::jsonb END)
         FROM (VALUES ('webhook', 'webhook', true), ('policy', 'policy', true), ('none', 'none', true), ('watch', 'watch', true),
           ('plain', 'policy', false), ('chosen', 'webhook', true), ('since', 'webhook', true)) AS a(name, form, pools)
         RETURNING id, name),
       p AS (INSERT INTO policy (cluster_id, governs, pools, updated_at) SELECT id, 'all', CASE WHEN name = 'chosen' THEN 'pausing' END, now() FROM c)
       INSERT INTO audit_event (at, actor_kind, actor_id, actor_name, action, target_kind, target_id, target_name, result, details, prev_hash, hash)
       SELECT now(), 'user', 'u1', 'l.varga', 'latch.install', 'Latch', id::text, name, 'ok',
         jsonb_build_object('form', 'webhook') || CASE WHEN name = 'since' THEN '{"pools": "pausing"}'::jsonb ELSE '{}' END, name, name FROM c`,
    )
    expect(await migrate(url)).toContain(OWN)
    const rows = await run<{ name: string; pools: string | null }>(
      url,
      'SELECT c.name, p.pools FROM policy p JOIN management_cluster c ON c.id = p.cluster_id',
    )
    expect(Object.fromEntries(rows.map(({ name, pools }) => [name, pools]))).toEqual({
      ...{ webhook: 'same-write', policy: 'same-write' },
      ...{ none: null, watch: null, plain: null, chosen: 'pausing', since: null },
    })
  })

  it('keeps what was approved with the decisions that are in force, and with no others', async () => {
    const OWN = '20261128190000_approved_pairs'
    cpSync('prisma/migrations', dir, { recursive: true, filter: (path) => !path.includes(OWN) })
    rmSync(join(dir, 'migration_lock.toml'))
    const later = readdirSync(dir).filter((name) => name > OWN)
    for (const name of later) rmSync(join(dir, name), { recursive: true })
    await migrate(url, { dir })
    await run(
      url,
      `WITH m AS (INSERT INTO management_cluster (id, name, server) VALUES (gen_random_uuid(), 'tidal', 'x') RETURNING id),
       c AS (
         INSERT INTO change (id, cluster_id, group_id, group_kind, namespace, group_name, workload_cluster, fingerprint, state, summary,
           change_set, outlook, held_by, resource_version, machines)
         SELECT gen_random_uuid(), m.id, gen_random_uuid(), kind, 'fleet', kind, 'c1', 'f', state, 's', '{"pairs": [{"from": "a"}], "fields": []}',
           '{}', 'latch', '1', 1 FROM m,
             (VALUES ('MachineDeployment', 'running'), ('MachineDeployment', 'done'), ('MachineConfigPool', 'running')) AS k(kind, state) RETURNING id, group_kind)
       INSERT INTO decision (id, change_id, fingerprint, mode, actor_id, actor_name, state, accepted_at)
       SELECT gen_random_uuid(), c.id, 'f', mode, 'u1', 'l.varga', state, CASE WHEN sent THEN now() END FROM c,
         (VALUES ('in-place', 'seen', true), ('replace', 'recorded', false), ('in-place', 'voided', true), ('replace', 'voided', false),
           ('reject', 'accepted', true)) AS d(mode, state, sent)`,
    )
    expect(await migrate(url)).toContain(OWN)
    const pairs = [{ from: 'a' }]
    const kept = `SELECT c.group_kind AS of, d.mode, d.state, d.pairs FROM decision d JOIN change c ON c.id = d.change_id
      WHERE d.pairs IS NOT NULL ORDER BY d.mode, d.state`
    expect(await run(url, kept)).toEqual([
      { of: 'MachineDeployment', mode: 'in-place', state: 'seen', pairs },
      { of: 'MachineDeployment', mode: 'in-place', state: 'voided', pairs },
      { of: 'MachineDeployment', mode: 'replace', state: 'recorded', pairs },
    ])
  })

  it('tells the images of the machine sets that are there in the words of their dates', async () => {
    const OWN = '20261129070000_images_told'
    cpSync('prisma/migrations', dir, { recursive: true, filter: (path) => !path.includes(OWN) })
    rmSync(join(dir, 'migration_lock.toml'))
    const later = readdirSync(dir).filter((name) => name > OWN)
    for (const name of later) rmSync(join(dir, name), { recursive: true })
    await migrate(url, { dir })
    await run(
      url,
      `WITH c AS (INSERT INTO management_cluster (id, name, server) VALUES (gen_random_uuid(), 'tidal', 'x') RETURNING id),
       o AS (INSERT INTO openshift_cluster (cluster_id, verdict, sentence, floor_ocp, floor_rhel, evidence)
         SELECT id, 'ok', '', '4.13.0', '9.2', '{"streamVersion": "4.22.4"}' FROM c)
       INSERT INTO boot_image_set (id, cluster_id, kind, namespace, name, state, dated)
       SELECT gen_random_uuid(), c.id, 'MachineSet', 'n', name, state, dated FROM c, (VALUES ('below', 'outdated', '4.12.0'),
         ('newer', 'outdated', '4.23.0'), ('outdated', 'unknown', '4.16.0'), ('unknown', 'unknown', NULL), ('current', 'current', '4.22.4'))
         AS s(name, state, dated)`,
    )
    expect(await migrate(url)).toContain(OWN)
    const rows = await run<{ name: string; told: string }>(url, 'SELECT name, told FROM boot_image_set')
    expect(rows).toHaveLength(5)
    expect(rows.filter(({ name, told }) => name !== told)).toEqual([])
  })

  it('leaves no credential in the address of an image that was kept', async () => {
    const OWN = '20261129190000_credentials_in_images'
    cpSync('prisma/migrations', dir, { recursive: true, filter: (path) => !path.includes(OWN) })
    rmSync(join(dir, 'migration_lock.toml'))
    const later = readdirSync(dir).filter((name) => name > OWN)
    for (const name of later) rmSync(join(dir, name), { recursive: true })
    await migrate(url, { dir })
    await run(
      url,
      `WITH c AS (INSERT INTO management_cluster (id, name, server) VALUES (gen_random_uuid(), 'tidal', 'x') RETURNING id),
       i AS (SELECT * FROM (VALUES ('a', 'https://prov:pw-1@h/a.qcow2'), ('b', 'https://h:8080/b.qcow2?token=pw-1&f="b"'), ('c', 'ami-1?@'), ('d', 'https://prov:pw?-1@h/d.qcow2'), ('e', 'https://h:8080/e.qcow2')) AS i(name, image)),
       w AS (INSERT INTO skew_action (id, cluster_id, action, actor_id, actor_name, state, wish)
         SELECT gen_random_uuid(), c.id, name, 'u1', 'l.varga', 'seen', CASE WHEN name = 'c' THEN '{}' ELSE
           jsonb_build_object('on', true, 'before', jsonb_build_array(jsonb_build_object('image', image))) END FROM c, i)
       INSERT INTO boot_image_set (id, cluster_id, kind, namespace, name, state, current, reason, former)
       SELECT gen_random_uuid(), c.id, 'MachineSet', 'n', name, 'custom', image, 'It names ' || image || ' now.',
         jsonb_build_array(jsonb_build_object('image', image, 'dated', '4.16.0')) FROM c, i`,
    )
    expect(await migrate(url)).toContain(OWN)
    const [sets, wishes] = await Promise.all([
      run(url, `SELECT current, reason, former->0->>'image' AS former FROM boot_image_set ORDER BY name`),
      run(url, `SELECT wish FROM skew_action ORDER BY action`),
    ])
    const [a, b, d] = ['https://••••••@h/a.qcow2', 'https://h:8080/b.qcow2?••••••', 'https://••••••@h/d.qcow2']
    const e = 'https://h:8080/e.qcow2'
    expect(sets).toEqual([
      { current: a, reason: `It names ${a} now.`, former: a },
      { current: `${b}"b"`, reason: `It names ${b}"b" now.`, former: `${b}"b"` },
      { current: 'ami-1?@', reason: 'It names ami-1?@ now.', former: 'ami-1?@' },
      { current: d, reason: `It names ${d} now.`, former: d },
      { current: e, reason: `It names ${e} now.`, former: e },
    ])
    expect(wishes).toEqual([
      { wish: { on: true, before: [{ image: a }] } },
      { wish: { on: true, before: [{ image: `${b}"b"` }] } },
      { wish: {} },
      { wish: { on: true, before: [{ image: d }] } },
      { wish: { on: true, before: [{ image: e }] } },
    ])
  })

  it('has what was rejected, and approved after all for its time, wait for that', async () => {
    const OWN = '20261130054000_approved_after_all'
    cpSync('prisma/migrations', dir, { recursive: true, filter: (path) => !path.includes(OWN) })
    rmSync(join(dir, 'migration_lock.toml'))
    const later = readdirSync(dir).filter((name) => name > OWN)
    for (const name of later) rmSync(join(dir, name), { recursive: true })
    await migrate(url, { dir })
    await run(
      url,
      `WITH m AS (INSERT INTO management_cluster (id, name, server) VALUES (gen_random_uuid(), 'tidal', 'x') RETURNING id),
       c AS (
         INSERT INTO change (id, cluster_id, group_id, group_kind, namespace, group_name, workload_cluster, fingerprint, state, due_mode, summary,
           change_set, outlook, held_by, resource_version, machines)
         SELECT gen_random_uuid(), m.id, gen_random_uuid(), 'MachineDeployment', 'fleet', name, 'c1', 'f', state, due, 's', '{}', '{}', 'latch', '1', 1
         FROM m, (VALUES ('due', 'rejected', 'replace'), ('not due', 'rejected', NULL)) AS k(name, state, due) RETURNING id)
       INSERT INTO decision (id, change_id, fingerprint, mode, actor_id, actor_name, state)
       SELECT gen_random_uuid(), c.id, 'f', 'reject', 'u1', 'l.varga', 'seen' FROM c`,
    )
    expect(await migrate(url)).toContain(OWN)
    const sql = `SELECT c.group_name AS name, c.state AS is, d.state AS word, d.voided_at IS NOT NULL AS ended, d.error
      FROM change c JOIN decision d ON d.change_id = c.id ORDER BY 1`
    expect(await run(url, sql)).toEqual([
      { name: 'due', is: 'waiting', word: 'voided', ended: true, error: 'approved after all' },
      { name: 'not due', is: 'rejected', word: 'seen', ended: false, error: null },
    ])
  })

  it('undoes a migration that fails, notes it, and tries it again at the next start', async () => {
    folder('1_first', 'CREATE TABLE a (id int)')
    folder('2_second', `CREATE TABLE b (id int); INSERT INTO b VALUES ('x')`)
    await expect(migrate(url, { dir })).rejects.toThrow(/2_second failed and was undone: invalid input syntax/)
    expect(await run(url, `SELECT 1 FROM pg_tables WHERE tablename = 'b'`)).toEqual([])
    expect(await run(url, `SELECT 1 FROM pg_tables WHERE tablename = 'a'`)).toHaveLength(1)
    await expect(migrate(url, { dir })).rejects.toThrow(/2_second failed and was undone/)
    const noted = await run<{ logs: string }>(
      url,
      'SELECT logs FROM _prisma_migrations WHERE rolled_back_at IS NOT NULL',
    )
    expect(noted.map(({ logs }) => logs)).toEqual(Array(2).fill(expect.stringContaining('invalid input syntax')))
    folder('2_second', 'CREATE TABLE b (id int)')
    expect(await migrate(url, { dir })).toEqual(['2_second'])
    expect(await migrate(url, { dir })).toEqual([])
  })

  it('leaves nothing of a migration in the middle of which the connection was lost', async () => {
    folder('1_cut', 'CREATE TABLE a (id int); SELECT pg_terminate_backend(pg_backend_pid())')
    await expect(migrate(url, { dir })).rejects.toThrow(/terminat|closed/i)
    folder('1_cut', 'CREATE TABLE a (id int)')
    expect(await migrate(url, { dir })).toEqual(['1_cut'])
  })

  it('refuses to go on where prisma migrate left a migration half done', async () => {
    folder('1_first', 'CREATE TABLE a (id int)')
    await migrate(url, { dir })
    await run(url, 'UPDATE _prisma_migrations SET finished_at = NULL')
    await expect(migrate(url, { dir })).rejects.toThrow(/resolve --rolled-back 1_first/)
  })

  it('refuses an edited migration, and a database from a newer version', async () => {
    folder('1_first', 'CREATE TABLE a (id int)')
    await migrate(url, { dir })
    folder('1_first', 'CREATE TABLE a (id bigint)')
    await expect(migrate(url, { dir })).rejects.toThrow(/1_first was edited after it was applied/)
    rmSync(join(dir, '1_first'), { recursive: true })
    await expect(migrate(url, { dir })).rejects.toThrow(/does not know/)
  })

  it('keeps function bodies with semicolons whole', async () => {
    folder('1_f', `CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'a;b'; END $$;`)
    await migrate(url, { dir })
    expect(await run(url, 'SELECT f() AS text')).toEqual([{ text: 'a;b' }])
  })

  it('does without the index of letters where the database allows no extension', async () => {
    await run(
      url,
      `CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no extensions here'; END $$;
       CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE EXTENSION') EXECUTE FUNCTION refuse()`,
    )
    expect(await migrate(url)).not.toEqual([])
    expect(await run(url, `SELECT 1 FROM pg_class WHERE relname = 'machine_text_idx'`)).toEqual([])
    expect(await run(url, `SELECT 1 FROM pg_class WHERE relname = 'machine_class_idx'`)).toHaveLength(1)
  })

  it('makes an audit that nobody can change', async () => {
    await migrate(url)
    await run(
      url,
      `INSERT INTO audit_event (at, actor_kind, actor_id, actor_name, action, target_kind, target_id, target_name, result, prev_hash, hash)
       VALUES (now(), 'cli', 'x', 'x', 'x', 'x', 'x', 'x', 'ok', '', 'h')`,
    )
    for (const sql of [`UPDATE audit_event SET result = 'failed'`, 'DELETE FROM audit_event', 'TRUNCATE audit_event']) {
      await expect(run(url, sql)).rejects.toThrow(/append-only/)
    }
  })

  it('has the tables that the schema names: Prisma finds no difference', async () => {
    await migrate(url)
    const diff = spawnSync(
      process.execPath,
      [
        'node_modules/prisma/build/index.js',
        'migrate',
        'diff',
        '--from-config-datasource',
        '--to-schema',
        'prisma/schema.prisma',
        '--exit-code',
      ],
      { encoding: 'utf8', env: { ...process.env, DATABASE_URL: url } },
    )
    expect(diff.stdout + diff.stderr).toMatch(/No difference detected/)
  })
})
