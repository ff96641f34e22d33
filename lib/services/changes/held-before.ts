import type { Tx } from '@/lib/db/client'
import { HELD_SINCE, IS_HELD } from './held-for'
import { CLUSTER_PAUSED_SEEN } from './their-pause'

/** What comes with the write that holds it is seen within this. */
const LATE = `interval '1 minute'`

/**
 * Of change c and its group g: the group stood still before, and nothing here knew of that: connected anew, when it was written is not
 * known. Where an older change was held until this one took its place, or somebody's own pause of it or of its Cluster was seen before, Drydock saw it come.
 */
const UNSEEN = `${HELD_SINCE} < c.detected_at - ${LATE} AND NOT (g.paused AND coalesce(g.paused_seen_at < c.detected_at - ${LATE}, false))
  AND NOT coalesce(${CLUSTER_PAUSED_SEEN} < c.detected_at - ${LATE}, false)
  AND NOT EXISTS (SELECT 1 FROM change b WHERE b.group_id = c.group_id AND b.cluster_id = c.cluster_id AND b.id <> c.id
    AND b.detected_at < c.detected_at AND (b.finished_at IS NULL OR b.finished_at > c.detected_at - ${LATE}))`

/** Whether a change was held before Drydock knew of it. */
export async function heldBefore(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.$queryRawUnsafe<unknown[]>(
    `SELECT c.id FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
     WHERE c.id = $1::uuid AND ${IS_HELD} AND ${UNSEEN}`,
    id,
  )
  return rows.length > 0
}
