import { pool } from '@/lib/db/client'

/**
 * OpenShift clusters with eight machine sets each, as the worker writes them: named `${prefix}000` and on, over five
 * platforms, six releases and every verdict, a few in a hundred of them in need of somebody. On GCP and Azure old images are dated by
 * their RHCOS, elsewhere by a version of OpenShift.
 */
export async function generateBootImages(clusters: number, prefix = 'ocp-'): Promise<void> {
  await pool().query(
    `INSERT INTO management_cluster (id, name, server, state, last_heard_at)
     SELECT gen_random_uuid(), $2 || lpad(i::text, 3, '0'), 'https://api.' || i || '.example', CASE WHEN i % 97 = 5 THEN 'unreachable' ELSE 'connected' END, now()
     FROM generate_series(0, $1::int - 1) i`,
    [clusters, prefix],
  )
  await pool().query(
    `WITH c AS (SELECT id, substring(name from '[0-9]+$')::int AS i FROM management_cluster WHERE name LIKE $1 || '%')
     INSERT INTO openshift_cluster (cluster_id, infrastructure_name, version, version_key, platform, topology, skew_supported, mode,
       recorded_ocp, verdict, sentence, blocks, floor_ocp, floor_rhel, availability, mode_why, distance, risk, node_risk, node_risk_why,
       confidence, confidence_why, managed_mode, managed, flagged_why, update_open, evidence, spec_skew, generation, observed_generation)
     SELECT id, 'infra-' || i, v.version, v.key, (ARRAY['AWS', 'GCP', 'Azure', 'VSphere', 'OpenStack'])[1 + i % 5], 'HighlyAvailable', true,
       CASE WHEN i % 7 = 6 THEN NULL WHEN i % 5 = 4 THEN 'Manual' WHEN i % 23 = 3 THEN 'None' ELSE 'Automatic' END,
       CASE WHEN i % 29 = 1 THEN '4.12.7' ELSE '4.22.4' END, verdict,
       'Recorded automatically: 4.22.4, the floor is 4.13.0. Updates are ' || CASE WHEN i % 29 = 1 THEN 'closed.' ELSE 'open.' END,
       CASE WHEN i % 29 = 1 THEN 'Updates beyond 4.22 are closed.' END, '4.13.0', '9.2',
       CASE WHEN i % 7 = 6 THEN 'no-field' ELSE 'enforced' END, 'The operator updates the boot images of all machine sets and records them.',
       CASE WHEN i % 29 = 1 THEN -1 ELSE 9 END,
       CASE WHEN i % 29 = 1 THEN 74050 WHEN i % 37 = 2 THEN 64041 WHEN i % 7 = 6 THEN 21041 ELSE 11041 END,
       CASE WHEN i % 29 = 1 THEN 'likely' WHEN i % 3 = 0 THEN 'unknown' ELSE 'no' END, 'Every machine set starts machines from the image of this release.',
       CASE WHEN i % 3 = 0 THEN 'unknown' ELSE 'certain' END, 'The operator recorded 4.22.4.', CASE WHEN i % 5 = 4 THEN 'not-managed' ELSE 'all' END,
       '{"words": "all machine sets"}', CASE WHEN i % 41 = 4 THEN 'workers starts machines from 4.14.0.' END, i % 29 <> 1,
       jsonb_build_object('streamVersion', '4.22.4', 'items', (SELECT jsonb_agg(jsonb_build_object('source', 'machine-sets', 'sure', 'certain',
         'sentence', 'workers-' || n || ' names the boot image of 4.22.4, which is the image of this release.')) FROM generate_series(1, 8) n),
         'rhcos', CASE WHEN i % 5 IN (0, 1) THEN '["9.8.20260428-0"]'::jsonb END,
         'history', (SELECT jsonb_agg(jsonb_build_object('state', 'Completed', 'version', '4.' || 12 + n || '.7')) FROM generate_series(1, 10) n)),
       CASE WHEN i % 5 = 4 THEN '{"mode": "Manual"}'::jsonb END, 3, 3
     FROM (SELECT c.*, CASE WHEN i % 29 = 1 THEN 'out-of-skew' WHEN i % 37 = 2 THEN 'update-failing' WHEN i % 7 = 6 THEN 'unsupported-release'
       WHEN i % 23 = 3 THEN 'not-enforced' ELSE 'ok' END AS verdict FROM c) c
     JOIN (VALUES (0, '4.22.4', '000004.000022.000004~'), (1, '4.22.9', '000004.000022.000009~'), (2, '4.23.1', '000004.000023.000001~'),
       (3, '5.0.3', '000005.000000.000003~'), (4, '4.21.14', '000004.000021.000014~'), (5, '4.19.2', '000004.000019.000002~')) v(n, version, key)
       ON v.n = c.i % 6`,
    [prefix],
  )
  await pool().query(
    `INSERT INTO boot_image_set (id, cluster_id, kind, namespace, name, replicas, state, reason, current, wanted, managed, outcome, arch, dated,
       dated_sure, marketplace, error)
     SELECT gen_random_uuid(), c.id, CASE WHEN n = 0 THEN 'ControlPlaneMachineSet' ELSE 'MachineSet' END, 'openshift-machine-api',
       CASE WHEN n = 0 THEN 'cluster' ELSE 'infra-' || i || '-worker-' || n END, 3 + (i + n) % 9, x.state,
       CASE x.state WHEN 'current' THEN '' ELSE 'Not the image of this release.' END, 'ami-' || md5(i || '-' || n), 'ami-' || md5(c.id::text),
       i % 5 <> 4, CASE x.state WHEN 'outdated' THEN 'update' WHEN 'custom' THEN 'skip' WHEN 'unknown' THEN 'undecided' WHEN 'excluded' THEN 'ignore'
       ELSE 'unchanged' END, CASE WHEN n = 7 THEN 'aarch64' ELSE 'x86_64' END, CASE WHEN x.state = 'current' THEN '4.22.4' WHEN x.state = 'outdated' AND i % 5 IN (0, 1) THEN 'RHCOS 414.92.202310170514-0'
         WHEN x.state = 'outdated' THEN '4.16.0' END,
       CASE x.state WHEN 'current' THEN 'certain' WHEN 'outdated' THEN 'likely' END, n = 6 AND i % 11 = 0, CASE WHEN n = 5 AND i % 53 = 0 THEN 'quota exceeded' END
     FROM (SELECT id, substring(name from '[0-9]+$')::int AS i FROM management_cluster WHERE name LIKE $1 || '%') c
     CROSS JOIN generate_series(0, 7) n
     CROSS JOIN LATERAL (SELECT CASE (i * 7 + n) % 10 WHEN 0 THEN 'outdated' WHEN 1 THEN 'unknown' WHEN 2 THEN 'custom' WHEN 3 THEN 'excluded'
       ELSE 'current' END AS state) x`,
    [prefix],
  )
  await pool().query(
    `INSERT INTO skew_action (id, cluster_id, action, version_kind, version, reason, review_at, actor_id, actor_name, state, recorded_at)
     SELECT gen_random_uuid(), c.id, 'acknowledge', 'OCPVersion', o.recorded_ocp, 'Seen in the console', now() + make_interval(days => (i % 60) - 10),
       'u1', 'l.varga', 'seen', now() - interval '30 days'
     FROM (SELECT id, substring(name from '[0-9]+$')::int AS i FROM management_cluster WHERE name LIKE $1 || '%') c
     JOIN openshift_cluster o ON o.cluster_id = c.id WHERE i % 5 = 4`,
    [prefix],
  )
  await pool().query('ANALYZE management_cluster, openshift_cluster, boot_image_set, skew_action')
}

/** Machines of those sets, so many of each: most from the set's own image, some from one before it, a few in a hundred without a node. */
export async function generateImageMachines(perSet: number, prefix = 'ocp-'): Promise<void> {
  await pool().query(
    `INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, group_kind, group_name, machine_set, control_plane, node,
       phase, state, severity, sentence, boot_image, resource_version, created_at, provisioned_since, joining)
     SELECT gen_random_uuid(), c.id, 'machine.openshift.io', s.namespace, s.name || '-' || n, 'infra', s.kind, s.name,
       CASE WHEN s.kind = 'MachineSet' THEN s.name END, s.kind <> 'MachineSet', CASE WHEN x.stuck THEN NULL ELSE s.name || '-' || n END,
       CASE WHEN x.stuck THEN 'Provisioned' ELSE 'Running' END, CASE WHEN x.stuck THEN 'failed' ELSE 'ready' END,
       CASE WHEN x.stuck THEN 85 ELSE 0 END, '', CASE WHEN n % 5 = 4 THEN 'ami-before-' || s.name ELSE s.current END, '1',
       now() - make_interval(days => n * 30), CASE WHEN x.stuck THEN now() - interval '2 hours' END,
       CASE WHEN x.stuck THEN '{"instance": "running", "userData": "worker-user-data", "reason": null, "message": null}'::jsonb END
     FROM management_cluster c JOIN boot_image_set s ON s.cluster_id = c.id CROSS JOIN generate_series(1, $1::int) n
     CROSS JOIN LATERAL (SELECT n = 1 AND hashtext(s.id::text) % 50 = 0 AS stuck) x WHERE c.name LIKE $2 || '%'`,
    [perSet, prefix],
  )
  await pool().query('ANALYZE machine')
}
