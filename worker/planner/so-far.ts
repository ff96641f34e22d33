import { pool } from '@/lib/db/client'
import type { Outlook } from '@/lib/domain/changes'
import { POOL } from '@/lib/domain/latch/hold'
import { MOVED } from '@/lib/providers/cluster-api'

/** What failed was there before it: it was to be updated; what came since was made. What was remediated, or deleted by others, is told apart. */
const SO_FAR = `
SELECT
  count(*) FILTER (WHERE p.state = 'done' OR NOT counted AND (p.state = 'updating' OR (p.state = 'failed' AND NOT made)))::int AS "inPlace",
  greatest(0, count(*) FILTER (WHERE p.state = 'created' OR (p.state = 'failed' AND made)) - $4::int)::int AS created,
  count(*) FILTER (WHERE p.state IN ('deleting', 'deleted') AND p.ill_at IS NULL AND coalesce(p.went_by = 'rollout', removes
    OR p.through_at IS NULL AND (p.predicted = 'in-place' AND p.started_at < p.deleting_at) IS NOT TRUE))::int AS deleted,
  count(*) FILTER (WHERE p.state = 'updating' AND starts_with(m.sentence, $3))::int AS "outOfService",
  count(*) FILTER (WHERE counted AND p.state <> 'done')::int AS "underWay"
FROM change c JOIN machine_progress p ON p.change_id = c.id LEFT JOIN machine m ON m.id = p.machine_id
  CROSS JOIN LATERAL (SELECT coalesce(m.created_at >= c.detected_at, false) AS made,
    -- The outlook of a pool counts each node that has not all of it, also one that is at it.
    c.group_kind = $5 AS counted,
    CASE WHEN c.group_kind = 'MachineDeployment' THEN m.machine_set ELSE m.name END AS source,
    -- What was updated on the way may be one too many.
    coalesce((c.outlook->'inPlace'->>'removed')::int, (c.outlook->'replace'->>'removed')::int, 0) > 0 AS removes) x
WHERE c.id = $1 AND p.started_at IS NOT NULL AND NOT coalesce(source = ANY($2) AND NOT m.deleting, false)`

/**
 * What was dealt with of a change since it was first let go, and what is at it: all that its outlook does not count. `left`: names
 * of the revisions that it counts. `madeUp`: how many were made for what others deleted.
 */
export async function soFar(changeId: string, left: readonly string[], madeUp = 0): Promise<Outlook['before']> {
  const { rows } = await pool().query<NonNullable<Outlook['before']>>(SO_FAR, [
    ...[changeId, left, MOVED, madeUp],
    POOL,
  ])
  const { outOfService, underWay, ...before } = rows[0]!
  if (underWay) return { ...before, underWay }
  if (outOfService) return { ...before, outOfService }
  return before.inPlace + before.created + before.deleted > 0 ? before : undefined
}
