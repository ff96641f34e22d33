import type { Pool, PoolClient, QueryResult } from 'pg'
import { announcing, type Announcement } from '../notify'

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
 * over between the check and the write. What `say` is told is announced with the commit. Beginning and end are one message
 * to the database each: while a fleet is read, every answer waits for its turn of the event loop.
 */
export async function fenced<T>(
  pool: Pool,
  fence: Fence,
  work: (client: PoolClient, say: (message: Announcement) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  const messages: Announcement[] = []
  let broken = false
  try {
    const [cluster, owner] = [fence.clusterId, fence.owner].map((text) => client.escapeLiteral(text))
    const answers = await client.query(
      `BEGIN; SELECT 1 FROM cluster_lease WHERE cluster_id = ${cluster} AND owner = ${owner} AND fence = ${fence.fence} FOR SHARE`,
    )
    const [, held] = answers as unknown as QueryResult[]
    if (held!.rowCount === 0) throw new StaleLease(fence.clusterId)
    const result = await work(client, (message) => void messages.push(message))
    await client.query([...messages.map((message) => announcing(client, message)), 'COMMIT'].join('; '))
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}
