import { pool } from '@/lib/db/client'
import { UNASKED_THERE } from './made-unasked'
import { OPEN_SQL } from './states'

/**
 * How many machines that are there were made for this very desired state of the group since it was let go, or before, where nobody was
 * asked, beside as many as have gone: where it is held in the middle, its spares. In doubt none: what went by others, or for its health check, counts as gone for one.
 */
const MADE = `
SELECT greatest(0, count(*) FILTER (WHERE p.state = 'created' AND EXISTS (SELECT 1 FROM machine m WHERE m.id = p.machine_id AND NOT m.deleting))
  + coalesce(sum(DISTINCT c.unasked), 0) - count(*) FILTER (WHERE p.state IN ('deleting', 'deleted')))::int AS made
FROM (SELECT c.id, ${UNASKED_THERE} AS unasked FROM change c WHERE c.group_id = $1::uuid AND c.digest = $2 AND c.state IN (${OPEN_SQL})) c
  LEFT JOIN machine_progress p ON p.change_id = c.id`

export async function sparesMade(groupId: string, digest: string): Promise<number> {
  const { rows } = await pool().query<{ made: number }>(MADE, [groupId, digest])
  return rows[0]?.made ?? 0
}
