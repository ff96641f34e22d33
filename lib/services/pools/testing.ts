import { pool } from '@/lib/db/client'

/**
 * OpenShift clusters with four pools of 25 nodes each, as the worker writes them: named `pools-000` and on, over every state, with
 * one node in 200 that is stuck.
 */
export async function generatePools(clusters: number): Promise<void> {
  await pool().query(
    `INSERT INTO management_cluster (id, name, server, state, last_heard_at)
     SELECT gen_random_uuid(), 'pools-' || lpad(i::text, 3, '0'), 'https://api.' || i || '.example', 'connected', now()
     FROM generate_series(0, $1::int - 1) i`,
    [clusters],
  )
  await pool().query(
    `INSERT INTO config_pool (id, cluster_id, name, resource_version, state, severity, paused, paused_since, machines, updated, ready, sentence,
       conditions, certificates, current_config, desired_config, current_release, desired_release, wanted_release)
     SELECT gen_random_uuid(), c.id, p.name, '1', s.state, s.severity, s.state = 'behind', CASE WHEN s.state = 'behind' THEN now() END, 25, 20, 20,
       'Of ' || p.name, '[]', '[]', 'rendered-' || p.name || '-a', 'rendered-' || p.name || '-b', '4.21.14', '4.22.4', '4.22.4'
     FROM management_cluster c
     CROSS JOIN unnest(ARRAY['master', 'worker', 'infra', 'gpu']) WITH ORDINALITY p(name, n)
     JOIN (VALUES (0, 'updated', 0), (1, 'updating', 30), (2, 'behind', 60), (3, 'degraded', 90), (4, 'updated', 0)) s(n, state, severity)
       ON s.n = (substring(c.name from '[0-9]+$')::int + p.n) % 5
     WHERE c.name LIKE 'pools-%'`,
  )
  await pool().query(
    `INSERT INTO config_node (id, cluster_id, pool, name, zone, phase, severity, sentence, since, stuck_from)
     SELECT gen_random_uuid(), p.cluster_id, p.name, p.name || '-' || i, 'zone-' || i % 3, x.phase, 0, 'Up to date.',
       CASE WHEN x.phase <> 'updated' THEN now() END,
       CASE WHEN i = 7 AND p.severity = 90 THEN now() - interval '1 minute' WHEN x.phase = 'draining' THEN now() + interval '1 hour' END
     FROM config_pool p CROSS JOIN generate_series(1, 25) i
     CROSS JOIN LATERAL (SELECT CASE WHEN p.severity = 0 OR i > 5 THEN 'updated' WHEN i = 1 THEN 'draining' ELSE 'pending' END AS phase) x`,
  )
  await pool().query('ANALYZE management_cluster, config_pool, config_node')
}

/** Of each of these nodes its Machine, every fourth of which is not as its set wants it. */
export async function generatePoolMachines(): Promise<void> {
  await pool().query(
    `INSERT INTO workload_cluster (id, cluster_id, namespace, name, provider)
     SELECT gen_random_uuid(), id, '', name || '-1', 'openshift' FROM management_cluster WHERE name LIKE 'pools-%'`,
  )
  await pool().query(
    `INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, control_plane, node, verdict, phase, state, ready, available,
       sentence, resource_version, created_at)
     SELECT gen_random_uuid(), c.id, 'machine.openshift.io', 'openshift-machine-api', 'm-' || k.name, c.name || '-1', k.pool = 'master', k.name,
       CASE WHEN abs(hashtext(k.id::text)) % 4 = 0 THEN 'replace' ELSE 'up-to-date' END, 'Running', 'ready', true, true, '', '1', now()
     FROM config_node k JOIN management_cluster c ON c.id = k.cluster_id WHERE c.name LIKE 'pools-%'`,
  )
  await pool().query('ANALYZE machine, workload_cluster')
}
