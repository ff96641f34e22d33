import type { Pool } from 'pg'

/** When machines of a cluster were first seen with an instance and without a node, in ms by their uid. */
export async function joiningSince(pool: Pool, clusterId: string): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ id: string; since: Date }>(
    'SELECT id, provisioned_since AS since FROM machine WHERE cluster_id = $1 AND provisioned_since IS NOT NULL',
    [clusterId],
  )
  return new Map(rows.map(({ id, since }) => [id, since.getTime()]))
}
