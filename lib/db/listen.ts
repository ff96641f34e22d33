import pg from 'pg'
import { ACCESS_CHANNEL } from './access'
import { databaseUrl } from './client'
import { CHANNEL, type Announcement } from './notify'

export type Heard =
  | { kind: 'announcement'; message: Announcement }
  | { kind: 'access'; userId: string }
  /** It is heard from now on; what was said before was not heard. */
  | { kind: 'gap' }
  /** Nothing is heard until the next gap. */
  | { kind: 'lost' }
type Listener = (heard: Heard) => void

const CONNECT_MS = 5_000
const PING_MS = 15_000

interface Options {
  url?: () => string
  /** How often the connection is tried; one that does not answer for as long is given up. */
  pingMs?: number
  /** A connection failed; it is tried again. */
  onFailed?: (error: unknown) => void
}

/** One LISTEN connection per process, from the first listener to the last; it comes back by itself. */
export class Listening {
  private readonly listeners = new Set<Listener>()
  private readonly url: () => string
  private readonly pingMs: number
  private readonly onFailed: (error: unknown) => void
  private leave = (): void => {}
  private running = false
  connected = false

  constructor({ url = databaseUrl, pingMs = PING_MS, onFailed = () => {} }: Options = {}) {
    this.url = url
    this.pingMs = pingMs
    this.onFailed = onFailed
  }

  add(listener: Listener): () => void {
    this.listeners.add(listener)
    if (!this.running) void this.run()
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) this.leave()
    }
  }

  private async run(): Promise<void> {
    this.running = true
    for (let wait = 100; this.listeners.size > 0; wait = Math.min(wait * 2, 5_000)) {
      try {
        await this.connection(() => (wait = 100))
      } catch (error) {
        // Also to who came while it was believed to be there.
        this.tell({ kind: 'lost' })
        this.onFailed(error)
      }
      this.connected = false
      if (this.listeners.size > 0) await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
    this.running = false
  }

  /** One connection, from its beginning to its end. */
  private async connection(open: () => void): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url(),
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: this.pingMs,
    })
    let over = (): void => {}
    const ended = new Promise<void>((resolve) => (over = resolve))
    client.once('end', over)
    client.on('error', () => {}) // 'end' follows
    client.on('notification', ({ channel, payload }) => this.hear(channel, payload ?? ''))
    let ping: ReturnType<typeof setInterval> | undefined
    try {
      // Not left before it is there: a client that is ended while it connects never says that it did not.
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}; LISTEN ${ACCESS_CHANNEL}`)
      open()
      this.connected = true
      let left = false
      this.leave = () => {
        left = true
        over()
      }
      this.tell({ kind: 'gap' }) // what was said before now was not heard
      // A server that is gone without a word would never be missed.
      ping = setInterval(() => client.query('SELECT 1').catch(over), this.pingMs)
      if (this.listeners.size > 0) await ended
      if (!left && this.listeners.size > 0) throw new Error('the connection to the database was lost')
    } finally {
      clearInterval(ping)
      this.leave = () => {}
      void client.end().catch(() => {})
    }
  }

  private hear(channel: string, payload: string): void {
    if (channel === ACCESS_CHANNEL) return this.tell({ kind: 'access', userId: payload })
    try {
      this.tell({ kind: 'announcement', message: JSON.parse(payload) as Announcement })
    } catch {
      this.tell({ kind: 'gap' })
    }
  }

  private tell(heard: Heard): void {
    for (const listener of [...this.listeners]) listener(heard)
  }
}
