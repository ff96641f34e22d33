import pg from 'pg'
import { CHANNEL, type Announcement } from '@/lib/db/notify'
import { backoffDelay, pause } from '@/lib/kubernetes/backoff'
import type { Log } from './log'

/** Hears announcements on a connection of its own; comes back by itself. `heard(null)`: something may have been missed. */
export function listen(
  url: string,
  log: Log,
  heard: (message: Announcement | null) => void,
): { stop(): Promise<void> } {
  const abort = new AbortController()
  const done = run(url, log, heard, abort.signal)
  return {
    stop: async () => {
      abort.abort()
      await done
    },
  }
}

async function run(url: string, log: Log, heard: (m: Announcement | null) => void, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    const client = new pg.Client({ connectionString: url, keepAlive: true })
    try {
      const ended = new Promise<void>((resolve) => {
        client.on('error', () => resolve())
        client.on('end', () => resolve())
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      await client.connect()
      client.on('notification', ({ payload }) => heard(parse(payload)))
      await client.query(`LISTEN ${CHANNEL}`)
      attempt = 0
      heard(null)
      await ended
    } catch (error) {
      log.warn({ err: error }, 'cannot listen on the database; trying again')
    }
    await client.end().catch(() => undefined)
    await pause(backoffDelay(attempt, { floorMs: 500, capMs: 5000 }), signal)
  }
}

function parse(payload: string | undefined): Announcement | null {
  try {
    return JSON.parse(payload ?? '') as Announcement
  } catch {
    return null
  }
}
