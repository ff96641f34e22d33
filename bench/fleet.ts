import { pool } from '@/lib/db/client'

/** Rows as the worker writes them, with the spread of a real fleet: most are well, a few in a hundred are not. */
export async function generate(machines: number): Promise<void> {
  await pool().query(`INSERT INTO management_cluster (id, name, server)
    SELECT gen_random_uuid(), 'bench-' || i, 'https://bench-' || i FROM generate_series(0, 3) i`)
  await pool().query(
    `WITH clusters AS (SELECT id, row_number() OVER (ORDER BY name) - 1 AS n FROM management_cluster WHERE name LIKE 'bench-%')
     INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, group_kind, group_name, machine_set,
       control_plane, node, version, version_key, phase, failure_domain, state, severity, sentence, ready, available,
       up_to_date, error, provider_id, verdict, resource_version, created_at)
     SELECT gen_random_uuid(), c.id, 'cluster.x-k8s.io', 'fleet', 'md-' || i / 100 || '-' || substr(md5(i::text), 1, 5),
       'c' || (i / 100) % 40, 'MachineDeployment', 'md-' || i / 100, 'md-' || i / 100 || '-abcde', i % 50 = 0,
       CASE WHEN i % 97 <> 0 THEN 'node-' || i END, 'v1.' || 32 + i % 3 || '.' || i % 5,
       '000001.0000' || 32 + i % 3 || '.00000' || i % 5 || '~', CASE WHEN i % 97 = 0 THEN 'Failed' ELSE 'Running' END,
       'zone-' || substr('abc', 1 + i % 3, 1),
       CASE WHEN i % 97 = 0 THEN 'failed' WHEN i % 61 = 0 THEN 'not-ready' WHEN i % 53 = 0 THEN 'updating' ELSE 'ready' END,
       CASE WHEN i % 97 = 0 THEN 90 WHEN i % 61 = 0 THEN 70 WHEN i % 53 = 0 THEN 40 ELSE 0 END,
       'Running v1.' || 32 + i % 3 || '.' || i % 5 || '.', i % 97 <> 0, i % 97 <> 0, i % 3 = 2,
       CASE WHEN i % 97 = 0 THEN 'CreateError: the provider has no capacity for machine ' || i END, 'bench://' || i,
       CASE i % 10 WHEN 0 THEN 'replace' WHEN 1 THEN 'in-place' ELSE 'up-to-date' END, i::text,
       now() - make_interval(mins => i)
     FROM generate_series(0, $1::int - 1) i JOIN clusters c ON c.n = (i / 100) % 4`,
    [machines],
  )
  await pool().query(`INSERT INTO workload_cluster (id, cluster_id, namespace, name, provider, version)
    SELECT gen_random_uuid(), cluster_id, 'fleet', workload_cluster, 'cluster-api', 'v1.34.1'
    FROM (SELECT DISTINCT cluster_id, workload_cluster FROM machine) x`)
  await pool()
    .query(`INSERT INTO machine_group (id, cluster_id, kind, api_version, namespace, name, workload_cluster, resource_version, created_at)
    SELECT gen_random_uuid(), cluster_id, group_kind, 'cluster.x-k8s.io/v1beta2', namespace, group_name, workload_cluster, '1', now()
    FROM (SELECT DISTINCT cluster_id, group_kind, namespace, group_name, workload_cluster FROM machine) x`)
  await pool().query('VACUUM ANALYZE')
}
