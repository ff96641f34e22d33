import { pool } from '@/lib/db/client'
import { OPEN_SQL } from './states'

/**
 * How many machines its approval in place let be deleted after spares were there for them, beside those that have gone since it was
 * foretold. By the newest one that let this very desired state of the group go; what was not foretold with it is not known, and none.
 * What its health check had deleted is none of them.
 */
const LEFT = `
SELECT greatest(0, coalesce((d.plan->>'deleted')::int, 0) + coalesce((d.plan->>'goneBefore')::int, 0) - (SELECT count(*) FROM machine_progress p
  WHERE p.change_id = c.id AND p.state IN ('deleting', 'deleted') AND p.started_at IS NOT NULL AND p.ill_at IS NULL))::int AS left
FROM change c JOIN LATERAL (
  SELECT mode, plan FROM decision WHERE change_id = c.id AND mode <> 'reject' AND accepted_at IS NOT NULL ORDER BY recorded_at DESC LIMIT 1
) d ON d.mode = 'in-place'
WHERE c.group_id = $1::uuid AND c.digest = $2 AND c.state IN (${OPEN_SQL})`

export async function sparesLeft(groupId: string, digest: string): Promise<number> {
  const { rows } = await pool().query<{ left: number }>(LEFT, [groupId, digest])
  return rows[0]?.left ?? 0
}
