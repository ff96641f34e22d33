import type { Pool } from 'pg'

/** Takes the lease of a cluster that nobody holds (any more); the fence grows with every change of owner. Null: somebody has it. */
export async function acquireLease(
  pool: Pool,
  clusterId: string,
  owner: string,
  ttlMs: number,
): Promise<bigint | null> {
  const { rows } = await pool.query<{ fence: string }>(
    `INSERT INTO cluster_lease AS l (cluster_id, owner, fence, until)
     SELECT id, $2, 1, now() + make_interval(secs => $3) FROM management_cluster
     WHERE id = $1 AND state <> 'disconnected'
     ON CONFLICT (cluster_id) DO UPDATE SET owner = EXCLUDED.owner, fence = l.fence + 1, until = EXCLUDED.until
     WHERE l.until < now() RETURNING fence`,
    [clusterId, owner, ttlMs / 1000],
  )
  return rows[0] ? BigInt(rows[0].fence) : null
}

/** Holds on to leases; returns the clusters whose lease is still this owner's. */
export async function renewLeases(
  pool: Pool,
  owner: string,
  held: ReadonlyMap<string, bigint>,
  ttlMs: number,
): Promise<Set<string>> {
  const { rows } = await pool.query<{ cluster_id: string }>(
    `UPDATE cluster_lease l SET until = now() + make_interval(secs => $4)
     FROM unnest($1::uuid[], $2::bigint[]) AS mine(cluster_id, fence)
     WHERE l.cluster_id = mine.cluster_id AND l.fence = mine.fence AND l.owner = $3 RETURNING l.cluster_id`,
    [[...held.keys()], [...held.values()].map(String), owner, ttlMs / 1000],
  )
  return new Set(rows.map((row) => row.cluster_id))
}

/** Lets go, so that another worker need not wait for the lease to run out. */
export async function releaseLease(pool: Pool, clusterId: string, owner: string, fence: bigint): Promise<void> {
  await pool.query(
    `UPDATE cluster_lease SET until = now() - interval '1 second' WHERE cluster_id = $1 AND owner = $2 AND fence = $3`,
    [clusterId, owner, fence.toString()],
  )
}
