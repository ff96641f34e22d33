import { setTimeout as pause } from 'node:timers/promises'
import { session } from '@/lib/db/client'

const PAUSE_MS = 25

/**
 * Takes a key that no other process of Drydock (worker, web) has then; returns what gives it back. Null: another one had it
 * until then. Within one process it keeps nobody away: there, ask for a key once at a time.
 */
export async function takeAlone(key: string, until: number): Promise<(() => Promise<void>) | null> {
  for (;;) {
    const { rows } = await session().query<{ mine: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS mine`,
      [key],
    )
    if (rows[0]!.mine)
      return async () => {
        // Where the connection is lost, so is the lock.
        const given = session().query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [key])
        await given.catch(() => undefined)
      }
    if (Date.now() + PAUSE_MS >= until) return null
    await pause(PAUSE_MS)
  }
}
