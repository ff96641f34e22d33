import { Gauge } from 'prom-client'
import { Listening, type Heard } from '@/lib/db/listen'
import { webRegistry } from '../metrics'
import { StreamClient } from './client'

const HEARTBEAT_MS = 15_000
/** Open streams of one account in one web process; the oldest gives way. */
const MAX_PER_USER = 30

interface Open {
  client: StreamClient
  /** Whether its session still may read. */
  stillMay: () => Promise<boolean>
}

/** All open streams of this web process, over one LISTEN connection. */
export class Hub {
  private readonly open = new Set<Open>()
  private stopListening: (() => void) | undefined
  private beat: ReturnType<typeof setInterval> | undefined
  private closing = false

  constructor(readonly listening = new Listening()) {}

  get size(): number {
    return this.open.size
  }

  /** Returns the function that takes the stream out again. */
  join(client: StreamClient, stillMay: () => Promise<boolean>): () => void {
    const entry = { client, stillMay }
    if (this.closing) {
      client.close()
      return () => {}
    }
    const own = [...this.open].filter((o) => o.client.userId === client.userId)
    if (own.length >= MAX_PER_USER) this.drop(own[0]!)
    this.open.add(entry)
    this.stopListening ??= this.listening.add((heard) => this.hear(heard))
    // The first word says that it hears: until it comes, the tab says that what it shows may be old.
    if (this.listening.connected) client.gap()
    if (!this.beat) {
      this.beat = setInterval(() => void this.tick(), HEARTBEAT_MS)
      this.beat.unref()
    }
    return () => this.drop(entry)
  }

  /** For the end of the process: Next does not exit while a stream is open. */
  closeAll(): void {
    this.closing = true
    for (const entry of [...this.open]) this.drop(entry)
  }

  private drop(entry: Open): void {
    entry.client.close()
    if (!this.open.delete(entry) || this.open.size > 0) return
    this.stopListening?.()
    this.stopListening = undefined
    clearInterval(this.beat)
    this.beat = undefined
  }

  private hear(heard: Heard): void {
    // They come back, and hear when this process does.
    if (heard.kind === 'lost') return [...this.open].forEach((entry) => this.drop(entry))
    if (heard.kind === 'access') return void this.check([...this.open].filter((o) => o.client.userId === heard.userId))
    for (const { client } of this.open) {
      if (heard.kind === 'gap') client.gap()
      else client.hear(heard.message)
    }
  }

  private async tick(): Promise<void> {
    for (const { client } of this.open) client.heartbeat()
    await this.check([...this.open])
  }

  /** Closes the streams whose session ended, or whose account may no longer read. Unsure is no. */
  private async check(entries: Open[]): Promise<void> {
    await Promise.all(
      entries.map(async (entry) => {
        const may = await entry.stillMay().catch(() => false)
        if (!may) this.drop(entry)
      }),
    )
  }
}

const shared = globalThis as typeof globalThis & { __drydockHub?: Hub }

/** Module state is not shared between Next's bundles; globalThis is. */
export function hub(): Hub {
  if (!shared.__drydockHub) {
    const made = new Hub()
    shared.__drydockHub = made
    new Gauge({
      name: 'drydock_web_streams',
      help: 'Open event streams.',
      registers: [webRegistry()],
      collect() {
        this.set(made.size)
      },
    })
  }
  return shared.__drydockHub
}
