import pg from 'pg'
import { ACCESS_CHANNEL } from './access'
import { databaseUrl } from './client'
import { CHANNEL, type Announcement } from './notify'

export type Heard =
  { kind: 'announcement'; message: Announcement } | { kind: 'access'; userId: string } | { kind: 'gap' }
type Listener = (heard: Heard) => void

/** One LISTEN connection per process, from the first listener to the last; it comes back by itself. */
export class Listening {
  private readonly listeners = new Set<Listener>()
  private client: pg.Client | undefined
  private running = false
  connected = false

  constructor(private readonly url: () => string = databaseUrl) {}

  add(listener: Listener): () => void {
    this.listeners.add(listener)
    if (!this.running) void this.run()
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) void this.client?.end().catch(() => {})
    }
  }

  private async run(): Promise<void> {
    this.running = true
    for (let wait = 100; this.listeners.size > 0; wait = Math.min(wait * 2, 5_000)) {
      try {
        await this.connection(() => (wait = 100))
      } catch {
        // told by `connected` and by the gap that listeners hear when it is back
      }
      this.connected = false
      if (this.listeners.size > 0) await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
    this.running = false
  }

  /** One connection, from its beginning to its end. */
  private async connection(open: () => void): Promise<void> {
    const client = new pg.Client({ connectionString: this.url(), keepAlive: true, connectionTimeoutMillis: 5_000 })
    this.client = client
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('error', () => {}) // 'end' follows
    client.on('notification', ({ channel, payload }) => this.hear(channel, payload ?? ''))
    await client.connect()
    await client.query(`LISTEN ${CHANNEL}; LISTEN ${ACCESS_CHANNEL}`)
    open()
    this.connected = true
    this.tell({ kind: 'gap' }) // what was said before now was not heard
    if (this.listeners.size === 0) await client.end()
    await ended
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
