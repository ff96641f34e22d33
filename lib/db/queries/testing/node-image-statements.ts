import fc from 'fast-check'

/* What may be written of machines and all that their images are judged by, in one statement each; of two clusters, a and b. */

const OCP = ['4.12.7', '4.16.0', '4.22.4', '4.23.1']
const of = (name: string): string => `(SELECT id FROM management_cluster WHERE name = '${name}')`
const text = (value: string | null): string => (value === null ? 'NULL' : `'${value}'`)
const one = <T>(...values: T[]) => fc.constantFrom(...values)
const cluster = one('a', 'b')
const image = one(
  ...['i1', 'i2', 'i3', 'projects/rhcos-cloud/global/images/i', 'redhat:rhcos:9.6:9.6.20251023'],
  ...['acme:golden:9.6:9.6.20251023', null],
).map(text)
const version = one(
  null,
  null,
  ...OCP,
  'RHCOS 410.84.202201251210-0',
  'RHCOS 9.6.20251023-0',
  'RHCOS 9.6.20251023-1',
  'RHCOS 9.6.20240101-0',
  'else',
).map(text)
const set = one('w1', 'w2', 'cluster', null).map(text)
const node = one('n1', 'n2', 'n3', null).map(text)
const some = fc
  .tuple(fc.nat(2), fc.integer({ min: 2, max: 5 }))
  .map(([k, n]) => `abs(hashtext(id::text)) % ${n} = ${k}`)
const state = one('current', 'outdated', 'custom').map(text)
const day = fc.integer({ min: 1, max: 28 }).map((n) => `'2026-03-${n}Z'::timestamptz`)
const PROVIDERS = ['machine.openshift.io', 'machine.openshift.io', 'cluster.x-k8s.io']
const to = (column: string, value: fc.Arbitrary<string>) => value.map((v) => `${column} = ${v}`)

const machines = [
  fc.tuple(cluster, set, fc.boolean(), node, image, version, day, one(...PROVIDERS)).map(
    ([c, s, plane, n, i, v, d, p]) =>
      `INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, machine_set, control_plane, node, boot_image,
           boot_image_version, phase, state, sentence, resource_version, created_at, provisioned_since)
         SELECT gen_random_uuid(), id, '${p}', 'ns', 'm', 'w', ${s}, ${plane}, ${n}, ${i}, ${v}, '', 'failed', '', '1', ${d},
           CASE WHEN ${n}::text IS NULL THEN now() END FROM management_cluster WHERE name = '${c}'`,
  ),
  fc
    .tuple(
      fc.oneof(
        to('boot_image', image),
        to('boot_image_version', version),
        to('machine_set', set),
        to('node', node),
        to('created_at', day),
        to('cluster_id', cluster.map(of)),
        to('state', one(`'ready'`, `'failed'`)),
        to('provisioned_since', one('now()', 'NULL')),
        to('provider', one(...PROVIDERS.slice(1)).map(text)),
        one('control_plane = NOT control_plane', `sentence = 'other'`),
      ),
      some,
    )
    .map(([what, which]) => `UPDATE machine SET ${what} WHERE ${which} AND EXISTS ${of('a')} AND EXISTS ${of('b')}`),
  some.map((which) => `DELETE FROM machine WHERE ${which}`),
]

const sets = [
  fc
    .tuple(cluster, one('MachineSet', 'ControlPlaneMachineSet'), one('openshift-machine-api', 'else'), set)
    .chain(([c, kind, namespace, name]) =>
      fc.tuple(state, image, image, version).map(
        ([s, current, wanted, dated]) =>
          `INSERT INTO boot_image_set (id, cluster_id, kind, namespace, name, state, current, wanted, dated, dated_sure)
           SELECT gen_random_uuid(), id, '${kind}', '${namespace}', coalesce(${name}, 'w1'), ${s}, ${current}, ${wanted}, ${dated},
             CASE WHEN ${dated}::text IS NOT NULL THEN 'likely' END FROM management_cluster WHERE name = '${c}'
           ON CONFLICT (cluster_id, kind, namespace, name) DO UPDATE SET (state, current, wanted, dated, dated_sure) =
             (EXCLUDED.state, EXCLUDED.current, EXCLUDED.wanted, EXCLUDED.dated, EXCLUDED.dated_sure)`,
      ),
    ),
  fc
    .tuple(
      fc.oneof(
        to('state', state),
        to('current', image),
        to('wanted', image),
        to('dated', version),
        to('dated_sure', one(`'certain'`, `'at-least'`)),
        one('name = name || name', 'replicas = replicas + 1', `namespace = 'else-' || id`, `kind = 'Other-' || id`),
      ),
      some,
    )
    .map(([what, which]) => `UPDATE boot_image_set SET ${what} WHERE ${which}`),
  some.map((which) => `DELETE FROM boot_image_set WHERE ${which}`),
]

const RHCOS = one([], ['418.94.202511191518-0'], ['9.6.20251023-0', '9.6.20250101-0'], ['9.6.20250101-0'])
const STREAMS = fc
  .tuple(one(...OCP, null), RHCOS)
  .map(([streamVersion, rhcos]) => text(JSON.stringify({ streamVersion, rhcos })))
const cards = [
  fc
    .tuple(
      cluster,
      fc.oneof(
        to('platform', one('AWS', 'VSphere', 'GCP', 'Azure', null).map(text)),
        to('version', version),
        to('floor_ocp', one('4.13.0', '4.16.1', null).map(text)),
        to('floor_rhel', one('9.2', '9.7', null).map(text)),
        to('evidence', STREAMS),
        one(`sentence = 'other'`),
      ),
    )
    .map(([c, what]) => `UPDATE openshift_cluster SET ${what} WHERE cluster_id = ${of(c)}`),
  cluster.map((c) => `DELETE FROM openshift_cluster WHERE cluster_id = ${of(c)}`),
  fc
    .tuple(cluster, STREAMS)
    .map(
      ([c, evidence]) =>
        `INSERT INTO openshift_cluster (cluster_id, platform, evidence) SELECT id, 'AWS', ${evidence} FROM management_cluster WHERE name = '${c}' ON CONFLICT DO NOTHING`,
    ),
]

const nodes = [
  fc.tuple(cluster, one('n1', 'n2', 'n4')).map(
    ([c, name]) =>
      `INSERT INTO config_node (id, cluster_id, pool, name, phase) SELECT gen_random_uuid(), id, 'worker', '${name}', ''
         FROM management_cluster WHERE name = '${c}' ON CONFLICT (cluster_id, name) DO UPDATE SET name = 'x-' || gen_random_uuid()`,
  ),
  some.map((which) => `DELETE FROM config_node WHERE ${which}`),
]

const everything = [
  one('TRUNCATE machine', 'TRUNCATE config_node', 'TRUNCATE boot_image_set', 'TRUNCATE openshift_cluster'),
  cluster.map((c) => `DELETE FROM management_cluster WHERE name = '${c}'`),
]

export const statement: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(...machines.map((arbitrary, i) => ({ weight: i === 1 ? 6 : 1, arbitrary }))) },
  { weight: 6, arbitrary: fc.oneof(...sets.map((arbitrary, i) => ({ weight: i === 1 ? 6 : 1, arbitrary }))) },
  { weight: 4, arbitrary: fc.oneof(...cards.map((arbitrary, i) => ({ weight: i === 0 ? 6 : 1, arbitrary }))) },
  { weight: 2, arbitrary: fc.oneof(...nodes) },
  { weight: 1, arbitrary: fc.oneof(...everything) },
)

/** A fleet of two clusters, in which most of what can be told is told of something. */
export const FLEET = [
  `INSERT INTO management_cluster (id, name, server) VALUES (gen_random_uuid(), 'a', ''), (gen_random_uuid(), 'b', '')`,
  `INSERT INTO openshift_cluster (cluster_id, platform, version, floor_ocp, floor_rhel, evidence)
   SELECT id, 'AWS', '4.22.4', '4.13.0', '9.2', '{"streamVersion": "4.22.4", "rhcos": ["9.6.20250101-0"]}' FROM management_cluster`,
  `INSERT INTO boot_image_set (id, cluster_id, kind, namespace, name, state, current, wanted, dated, dated_sure)
   SELECT gen_random_uuid(), c.id, kind, 'openshift-machine-api', s.name, s.state, s.current, s.wanted, s.dated, 'likely'
   FROM management_cluster c, (VALUES ('MachineSet', 'w1', 'outdated', 'i1', 'i2', '4.16.0'), ('MachineSet', 'w2', 'current', 'i2', 'i2', NULL),
     ('ControlPlaneMachineSet', 'cluster', 'outdated', 'i3', 'i4', '4.12.7')) s(kind, name, state, current, wanted, dated)`,
  `INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, machine_set, control_plane, node, boot_image,
     boot_image_version, phase, state, sentence, resource_version, created_at, provisioned_since)
   SELECT gen_random_uuid(), c.id, 'machine.openshift.io', 'ns', 'm' || i, 'w', CASE WHEN i % 4 <> 3 THEN 'w' || 1 + i % 2 END, i % 4 = 3,
     'n' || i, 'i' || 1 + i % 5, CASE WHEN i % 7 = 6 THEN 'RHCOS 9.6.20251023-0' END, '',
     CASE WHEN i % 3 = 0 THEN 'failed' ELSE 'ready' END, '', '1', '2026-01-01Z'::timestamptz + make_interval(days => i), CASE WHEN i % 2 = 0 THEN now() END
   FROM management_cluster c, generate_series(1, 14) i`,
  `INSERT INTO config_node (id, cluster_id, pool, name, phase) SELECT gen_random_uuid(), id, 'worker', n, '' FROM management_cluster, unnest('{n1,n2,by-hand}'::text[]) n`,
]
