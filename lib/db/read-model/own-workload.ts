import type { Pool } from 'pg'

/** The name of OpenShift's own cluster, as it was last known; null: there is none, or nothing was read of it yet. */
export async function ownWorkload(pool: Pool, clusterId: string): Promise<string | null> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT name FROM workload_cluster WHERE cluster_id = $1 AND provider = 'openshift' LIMIT 1`,
    [clusterId],
  )
  return rows[0]?.name ?? null
}
