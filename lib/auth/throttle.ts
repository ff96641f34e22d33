import { randomUUID } from 'node:crypto'
import { pool } from '@/lib/db/client'
import { ServiceError } from '@/lib/services/errors'

const LONGEST_MS = 2_000

/** Counts an attempt, over all web processes. Counted before the password is looked at: guessing costs the same either way. */
async function count(key: string, seconds: number): Promise<{ count: number; endsIn: number }> {
  const now = Date.now()
  const { rows } = await pool().query<{ count: number; last_request: string }>(
    `INSERT INTO rate_limit (id, key, count, last_request) VALUES ($1, $2, 1, $3)
     ON CONFLICT (key) DO UPDATE SET
       count = CASE WHEN rate_limit.last_request < $4 THEN 1 ELSE rate_limit.count + 1 END,
       last_request = CASE WHEN rate_limit.last_request < $4 THEN $3 ELSE rate_limit.last_request END
     RETURNING count, last_request`,
    [randomUUID(), key, now, now - seconds * 1000],
  )
  const row = rows[0]!
  return { count: row.count, endsIn: (Number(row.last_request) + seconds * 1000 - now) / 1000 }
}

/** Refuses what is above `max` in a window. */
export async function throttle(key: string, max: number, seconds: number): Promise<void> {
  const { count: attempts, endsIn } = await count(key, seconds)
  if (attempts <= max) return
  const minutes = Math.max(1, Math.ceil(endsIn / 60))
  throw new ServiceError('conflict', `Too many attempts. Try again in ${minutes} min.`)
}

/** Makes what is above `free` in a window wait: a little more each time, never long. */
export async function slowDown(key: string, free: number, seconds: number): Promise<void> {
  const { count: attempts } = await count(key, seconds)
  const wait = Math.min(LONGEST_MS, Math.max(0, attempts - free) * 100)
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
}
