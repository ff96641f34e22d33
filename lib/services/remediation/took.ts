import { pool } from '@/lib/db/client'
import type { ChangeSet } from '@/lib/domain/changes'
import { wasPaused } from '../changes/their-pause'
import { HAS_BEGUN } from '../forecast/durations'

/** For how long Cluster API was at those of a group that these updaters did, and no others; the newest say most.
 * Not where it was let go on, or its Cluster was paused, meanwhile: then it may have waited for that. */
const TOOK = `
SELECT extract(epoch FROM p.finished_at - p.started_at) * 1000 AS ms
FROM (
  SELECT id, cluster_id, namespace, workload_cluster FROM change WHERE cluster_id = $1::uuid AND group_id = $2::uuid AND ${HAS_BEGUN} ORDER BY detected_at DESC LIMIT 20
) c JOIN machine_progress p ON p.change_id = c.id
WHERE p.state = 'done' AND p.finished_at > p.started_at
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND d.accepted_at > p.started_at AND d.accepted_at < p.finished_at)
  AND NOT ${wasPaused('p.started_at', 'p.finished_at')}
  AND p.updaters_done @> $3::text[] AND p.updaters_done <@ $3::text[]
ORDER BY p.finished_at DESC LIMIT 600`

/** How long updates of this very group took, by the updaters that would do this change; nobody's where nobody would. */
export async function tookBefore(
  { clusterId, groupId }: { clusterId: string; groupId: string },
  { pairs }: Pick<ChangeSet, 'pairs'>,
): Promise<number[]> {
  const updaters = [...new Set(pairs.flatMap(({ changes }) => changes.flatMap(({ coveredBy = [] }) => coveredBy)))]
  if (updaters.length === 0) return []
  const { rows } = await pool().query<{ ms: string }>(TOOK, [clusterId, groupId, updaters])
  return rows.map(({ ms }) => Number(ms))
}
