import { pool } from '@/lib/db/client'
import { judgeStale, markAll, MOST } from '@/lib/db/read-model/node-images'
import { log as workerLog, type Log } from './log'
import { failures } from './metrics'
import { startRounds, type Rounds } from './rounds'

const INTERVAL_MS = 1_000

/**
 * Keeps what nodes started from judged, of every cluster that changed, whoever owns it. Pages wait for none of it: what is marked they
 * judge themselves.
 */
export function startNodeImages(options: { intervalMs?: number; log?: Log } = {}): Rounds {
  const { intervalMs = INTERVAL_MS, log = workerLog } = options
  let begun = false
  return startRounds(async (stopped) => {
    try {
      if (!begun) await markAll(pool())
      begun = true
      // What is marked anew meanwhile, by a cluster that rolls, waits for the next round.
      while (!stopped() && (await judgeStale(pool())) === MOST);
    } catch (err) {
      failures.inc({ cluster: '', what: 'node images' })
      log.warn({ err }, 'what nodes started from could not be judged; it will be repeated')
    }
  }, intervalMs)
}
