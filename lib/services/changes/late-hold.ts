import { pool } from '@/lib/db/client'
import { SEEN_STORED } from '@/lib/domain/latch/names'
import type { ChangeDto } from './change-row'

/**
 * What had begun of a change that was paused only after it was stored, in machines of its group as they are now. Of what is gone by
 * now the number is known, for it is missing from those that are wanted; and its name where it was still there when Drydock first
 * looked (worker/planner/baseline.ts).
 */
export interface LateHold {
  wanted: number
  /** Not made for it, as far as can be told: with those that are being updated in place, or deleted. */
  before: number
  /** They are as the change wants them. */
  there: number
  coming: number
  updating: number
  deleting: number
  /** Names of machines that are gone since; by whom they were deleted nobody knows. */
  gone: string[]
}

/** Of a machine that is gone while a change waits that was held late: what is on record of it (machine_progress.message). */
export const WENT_LATE = 'deleted before its group was held, or meanwhile'

/** What was there when its group wanted something else before was not made for it, though it may be as it wants. */
const FORMER = `SELECT coalesce(max(o.detected_at), '-infinity') AS at FROM change c JOIN change o ON o.group_id = c.group_id
  AND o.cluster_id = c.cluster_id AND o.id <> c.id AND o.detected_at <= c.detected_at WHERE c.id = $5`

const BEGUN = `
SELECT g.desired_replicas AS wanted, n.*, ARRAY(SELECT p.machine_name FROM machine_progress p
  WHERE p.change_id = $5 AND p.state = 'deleted' AND p.started_at IS NULL AND p.message = $6 ORDER BY p.machine_name) AS gone FROM machine_group g CROSS JOIN (${FORMER}) former CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE deleting)::int AS deleting, count(*) FILTER (WHERE updating AND NOT deleting)::int AS updating,
    count(*) FILTER (WHERE fits AND node IS NULL)::int AS coming, count(*) FILTER (WHERE fits AND node IS NOT NULL)::int AS there,
    count(*) FILTER (WHERE NOT (fits AND m.created_at >= former.at))::int AS before
  FROM machine m CROSS JOIN LATERAL (SELECT verdict = 'up-to-date' AND NOT deleting AND NOT updating AS fits) x
  WHERE m.cluster_id = g.cluster_id AND m.group_kind = g.kind AND m.namespace = g.namespace AND m.group_name = g.name) n
WHERE g.cluster_id = $1 AND g.kind = $2 AND g.namespace = $3 AND g.name = $4`

type Of = Pick<ChangeDto, 'id' | 'state' | 'clusterId' | 'groupKind' | 'namespace' | 'groupName'>

/**
 * Null where it was not paused so, or was decided since; of a pool, whose nodes are no machines, its own words say what may have
 * begun. `words`: as the group says why it is held.
 */
export async function lateHold(change: Of, words: string | null): Promise<LateHold | null> {
  const { id, clusterId, groupKind, namespace, groupName } = change
  if (words !== SEEN_STORED || change.state !== 'waiting' || groupKind === 'MachineConfigPool') return null
  const { rows } = await pool().query<LateHold>(BEGUN, [clusterId, groupKind, namespace, groupName, id, WENT_LATE])
  return rows[0] ?? null
}
