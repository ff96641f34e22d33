import { pool } from '../client'

/** Of group g: by Drydock, also where its hold stands beside somebody's own pause, in whose words nothing of it is said. */
export const HELD = `(g.held IS NOT NULL OR (g.paused AND EXISTS (
                SELECT 1 FROM change ch WHERE ch.cluster_id = g.cluster_id AND ch.group_id = g.id AND ch.state IN ('waiting', 'rejected')
                  AND ch.held_by = 'latch')))`

/** How many groups are held, by management cluster. */
export async function heldGroups(): Promise<Map<string, number>> {
  const { rows } = await pool().query<{ id: string; n: number }>(
    `SELECT g.cluster_id AS id, count(*)::int AS n FROM machine_group g WHERE ${HELD} GROUP BY 1`,
  )
  return new Map(rows.map(({ id, n }) => [id, n]))
}
