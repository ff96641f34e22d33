import { recoverDisconnects } from '@/lib/services/clusters/recover-disconnect'
import { log as workerLog, type Log } from './log'
import { startRounds, type Rounds } from './rounds'

const INTERVAL_MS = 60_000

/** Comes back to disconnects that died half-way: nobody watches such a cluster, and nobody would repair its latch. */
export function startCutShort(options: { intervalMs?: number; log?: Log } = {}): Rounds {
  const { intervalMs = INTERVAL_MS, log = workerLog } = options
  return startRounds(async () => {
    try {
      for (const cluster of await recoverDisconnects())
        log.warn({ cluster }, 'its disconnect was cut short; it is connected again')
    } catch (error) {
      log.warn({ err: error }, 'cannot look for disconnects that were cut short; trying again')
    }
  }, intervalMs)
}
