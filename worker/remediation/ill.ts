import { pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { ClusterView } from '../types'

const FOUND = `
UPDATE machine_progress target SET ill_at = found.at
FROM (
  SELECT p.change_id, p.machine_id, m.check_failed_since AS at
  FROM machine m JOIN change c ON c.cluster_id = m.cluster_id AND c.workload_cluster = m.workload_cluster
    AND c.namespace = m.namespace AND c.group_kind = m.group_kind AND c.group_name = m.group_name
  JOIN machine_progress p ON p.change_id = c.id AND p.machine_id = m.id
  WHERE m.cluster_id = $1::uuid AND m.check_failed_since IS NOT NULL AND c.state IN ('approved', 'running', 'stuck', 'waiting')
    AND p.ill_at IS NULL AND p.predicted IN ('in-place', 'in-place-with-spare') AND p.state IN ('updating', 'failed', 'deleting')
    -- The API server gives times in whole seconds.
    AND m.check_failed_since >= date_trunc('second', p.started_at)
) AS found
WHERE target.change_id = found.change_id AND target.machine_id = found.machine_id
RETURNING target.change_id AS id`

/** Keeps on record which machines their health checks found ill in the middle of their update: soon they are gone. */
export async function noteIll({ clusterId }: ClusterView): Promise<void> {
  const { rows } = await pool().query<{ id: string }>(FOUND, [clusterId])
  const ids = [...new Set(rows.map(({ id }) => id))]
  if (ids.length > 0) await announce(pool(), { topic: 'changes', cluster: clusterId, ids })
}
