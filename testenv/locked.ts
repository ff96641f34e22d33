import { expect } from 'vitest'
import { pool } from '@/lib/db/client'

const CHANGES = { table: 'change', key: 'id' }
export const PROGRESS = { table: 'machine_progress', key: 'machine_id' }

/**
 * Does the work while somebody else locks first the lower and then the higher of two rows: neither fails where the work
 * locks them in the same order. In the table they lie the other way round.
 */
export async function lockedInOrder(
  ids: readonly string[],
  work: () => Promise<unknown>,
  { table, key } = CHANGES,
): Promise<void> {
  const [low, high] = ids.toSorted() as [string, string]
  for (const id of [high, low]) await pool().query(`UPDATE ${table} SET ${key} = ${key} WHERE ${key} = $1`, [id])
  const lock = `SELECT 1 FROM ${table} WHERE ${key} = $1 FOR UPDATE`
  const other = await pool().connect()
  try {
    await other.query('BEGIN')
    await other.query(lock, [low])
    const working = work()
    const blocked = () =>
      pool().query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    await expect.poll(async () => (await blocked()).rowCount, { timeout: 10_000 }).toBe(1)
    await other.query(lock, [high])
    await other.query('ROLLBACK')
    await working
  } finally {
    other.release()
  }
}
