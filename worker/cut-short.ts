import { recoverDisconnects } from '@/lib/services/clusters/recover-disconnect'
import { log as workerLog, type Log } from './log'

const INTERVAL_MS = 60_000

/** Comes back to disconnects that died half-way: nobody watches such a cluster, and nobody would repair its latch. */
export function startCutShort(options: { intervalMs?: number; log?: Log } = {}): { stop(): Promise<void> } {
  const { intervalMs = INTERVAL_MS, log = workerLog } = options
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const round = async (): Promise<void> => {
    try {
      for (const cluster of await recoverDisconnects())
        log.warn({ cluster }, 'its disconnect was cut short; it is connected again')
    } catch (error) {
      log.warn({ err: error }, 'cannot look for disconnects that were cut short; trying again')
    }
    if (!stopped) timer = setTimeout(() => (running = round()), intervalMs)
  }
  running = round()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
      clearTimeout(timer)
    },
  }
}
