import { randomUUID } from 'node:crypto'
import { pool } from '@/lib/db/client'
import { ServiceError } from '@/lib/services/errors'

/**
 * Counts an attempt, over all web processes, and refuses the ones above `max` in a window. Counted before the password
 * is looked at: guessing costs the same whether it is right or wrong.
 */
export async function throttle(key: string, max: number, seconds: number): Promise<void> {
  const now = Date.now()
  const { rows } = await pool().query<{ count: number; last_request: string }>(
    `INSERT INTO rate_limit (id, key, count, last_request) VALUES ($1, $2, 1, $3)
     ON CONFLICT (key) DO UPDATE SET
       count = CASE WHEN rate_limit.last_request < $4 THEN 1 ELSE rate_limit.count + 1 END,
       last_request = CASE WHEN rate_limit.last_request < $4 THEN $3 ELSE rate_limit.last_request END
     RETURNING count, last_request`,
    [randomUUID(), key, now, now - seconds * 1000],
  )
  const row = rows[0]
  if (row && row.count > max) {
    const wait = Math.ceil((Number(row.last_request) + seconds * 1000 - now) / 1000)
    throw new ServiceError('conflict', `Too many attempts. Try again in ${Math.max(1, Math.ceil(wait / 60))} min.`)
  }
}
