import pg from 'pg'
import { databaseUrl } from '@/lib/db/client'
import { ServiceError } from '../errors'

const LOCK = 7_207_005
const WAIT = '30s'
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * One at a time reads what a cluster's latch should be and writes it there: else an older reading would put back what
 * was just changed. On a connection of its own, which the lock ends with, also where this process dies.
 */
export async function withLatchLock<T>(clusterId: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl() })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`SET lock_timeout = '${WAIT}'`)
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [LOCK, clusterId])
    return await work()
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
    throw new ServiceError('conflict', 'The latch of this cluster is being changed or repaired right now.', {
      hint: 'Wait a moment, then try again.',
    })
  } finally {
    await client.end().catch(() => undefined)
  }
}
