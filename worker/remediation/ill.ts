import { db, pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { OPEN_SQL } from '@/lib/services/changes/states'
import { fits, REMEDIATE, type HealthCheckSpec } from '@/lib/domain/health-checks'
import { ownedSql } from '../owned'
import type { Owning } from '../planner/common'

const FOUND = `
SELECT p.change_id AS "changeId", p.machine_id AS "machineId", m.check_failed_since AS at, m.check_words AS words,
  m.labels, m.namespace, m.workload_cluster AS "workloadCluster"
FROM machine m JOIN change c ON c.cluster_id = m.cluster_id AND c.workload_cluster = m.workload_cluster
  AND c.namespace = m.namespace AND c.group_kind = m.group_kind AND c.group_name = m.group_name
JOIN machine_progress p ON p.change_id = c.id AND p.machine_id = m.id
WHERE m.cluster_id = $1::uuid AND m.check_failed_since IS NOT NULL AND c.state IN (${OPEN_SQL}) AND p.ill_at IS NULL
  AND (p.predicted IN ('in-place', 'in-place-with-spare')
    -- The planner may not have seen yet that it goes, and by then its row may be gone.
    AND (p.state IN ('updating', 'failed', 'deleting') OR (p.state = 'done' AND m.deleting))
    -- The API server gives times in whole seconds.
    AND m.check_failed_since >= date_trunc('second', p.started_at)
  -- Before its turn: nothing of the change deletes it then.
  OR p.started_at IS NULL AND (p.state IN ('waiting', 'failed', 'deleting') OR (p.state = 'done' AND m.deleting))
    AND m.check_failed_since >= date_trunc('second', c.detected_at))`

/** What somebody else writes at this moment is noted in the next round: so nobody waits in a circle, in whatever order they write. */
const NOTE = `
WITH found AS (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) AS f (change_id, machine_id, at, by)),
free AS MATERIALIZED (SELECT p.change_id, p.machine_id FROM machine_progress p JOIN found USING (change_id, machine_id)
  WHERE p.ill_at IS NULL AND ${ownedSql('$5', '$6')} FOR UPDATE OF p SKIP LOCKED)
UPDATE machine_progress p SET ill_at = found.at, ill_by = found.by FROM found JOIN free USING (change_id, machine_id)
WHERE p.change_id = found.change_id AND p.machine_id = found.machine_id`

interface Found {
  changeId: string
  machineId: string
  at: Date
  words: string | null
  labels: Record<string, string> | null
  namespace: string
  workloadCluster: string
}

/** Keeps on record which machines their health checks found ill in the middle of their update, or before it, and which checks: soon they are gone. */
export async function noteIll({ clusterId, fence }: Owning): Promise<void> {
  const { rows } = await pool().query<Found>(FOUND, [clusterId])
  if (rows.length === 0) return
  const checks = await db().healthCheck.findMany({ where: { clusterId, paused: false }, orderBy: { name: 'asc' } })
  // A machine does not say which one it was: all that are over it. What somebody marked, none of them found.
  const namesOf = ({ labels, namespace, workloadCluster, words }: Found): string | null => {
    if (words?.includes(REMEDIATE)) return REMEDIATE
    const names = checks
      .filter((check) => check.namespace === namespace && check.workloadCluster === workloadCluster)
      .filter((check) => fits((check.spec as unknown as HealthCheckSpec).selector, labels ?? {}))
      .map(({ name }) => name)
      .join(', ')
    return names || null
  }
  const column = <T>(of: (row: Found) => T) => rows.map(of)
  const { rowCount } = await pool().query(NOTE, [
    ...[column(({ changeId }) => changeId), column(({ machineId }) => machineId)],
    ...[column(({ at }) => at), column(namesOf), clusterId, fence],
  ])
  if (rowCount === 0) return
  const ids = [...new Set(rows.map(({ changeId }) => changeId))]
  await announce(pool(), { topic: 'changes', cluster: clusterId, ids })
}
