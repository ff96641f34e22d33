import type { Pool, PoolClient } from 'pg'

/** Who writes: the owner of a management cluster's lease, with the number that its ownership has. */
export interface Fence {
  clusterId: string
  owner: string
  fence: bigint
}

/** Another worker owns the cluster now: whatever this one still wanted to write is old. */
export class StaleLease extends Error {
  constructor(clusterId: string) {
    super(`Another worker owns the management cluster ${clusterId} now.`)
    this.name = 'StaleLease'
  }
}

/**
 * Runs a transaction that only the lease's owner may commit. The lease row is locked until then, so that nobody takes
 * over between the check and the write.
 */
export async function fenced<T>(pool: Pool, fence: Fence, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken = false
  try {
    await client.query('BEGIN')
    const held = await client.query(
      'SELECT 1 FROM cluster_lease WHERE cluster_id = $1 AND owner = $2 AND fence = $3 FOR SHARE',
      [fence.clusterId, fence.owner, fence.fence.toString()],
    )
    if (held.rowCount === 0) throw new StaleLease(fence.clusterId)
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}
