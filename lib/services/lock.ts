import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { databaseUrl, pool } from '@/lib/db/client'
import { ServiceError } from './errors'

const WAIT = '30s'
const END_MS = 2_000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * One at a time does this kind of work on a cluster. On a connection of its own, which the lock ends with, also where
 * this process dies. Who waits too long is told that it is being done.
 */
export async function withClusterLock<T>(
  lock: number,
  clusterId: string,
  busy: string,
  work: () => Promise<T>,
): Promise<T> {
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: databaseUrl(),
    stream: () => socket,
    // One that hangs is not waited for without an end, whatever it is asked.
    ...{ keepAlive: true, connectionTimeoutMillis: 15_000, query_timeout: 40_000 },
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`SET lock_timeout = '${WAIT}'`)
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [lock, clusterId])
    return await work()
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
    throw new ServiceError('conflict', busy, { hint: 'Wait a moment, then try again.' })
  } finally {
    await Promise.race([client.end(), setTimeout(END_MS, undefined, { ref: false })]).catch(() => undefined)
    socket.destroy()
  }
}

/** Nobody does it at this moment. */
export async function isClusterFree(lock: number, clusterId: string): Promise<boolean> {
  const sql = 'SELECT pg_try_advisory_xact_lock_shared($1, hashtext($2)) AS free'
  return (await pool().query<{ free: boolean }>(sql, [lock, clusterId])).rows[0]!.free
}
