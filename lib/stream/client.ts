import type { Announcement } from '@/lib/db/notify'

/** At least this long between two messages to a tab; the first after a rest waits a moment for company only. */
const INTERVAL_MS = 100
const DELAY_MS = 20
const MAX_IDS = 50
/** Distinct announcements that wait for one tab; a tab that is slower than that refetches everything instead. */
const MAX_WAITING = 200

/** What one tab is told: announcements of the same rows become one, and the tab never holds up anybody else. */
export class StreamClient {
  private readonly waiting = new Map<string, Announcement>()
  private resync = false
  private timer: ReturnType<typeof setTimeout> | undefined
  private over = false
  private flushedAt = 0

  constructor(
    readonly userId: string,
    private readonly sink: { write(text: string): void; room(): boolean; close(): void },
  ) {
    sink.write('retry: 2000\n\n')
  }

  hear(message: Announcement): void {
    if (this.over || this.resync) return
    const key = `${message.topic} ${message.cluster ?? ''}`
    const before = this.waiting.get(key)
    this.waiting.set(key, before ? merged(before, message) : message)
    if (this.waiting.size > MAX_WAITING) this.gap()
    this.schedule()
  }

  /** Something was missed: the tab refetches what it shows. */
  gap(): void {
    this.resync = true
    this.waiting.clear()
    this.schedule()
  }

  /** Named, it is no message; with data, for without any a browser tells its page nothing. */
  heartbeat(): void {
    if (!this.over && this.sink.room()) this.sink.write('event: beat\ndata: {}\n\n')
  }

  close(): void {
    if (this.over) return
    this.over = true
    clearTimeout(this.timer)
    this.sink.close()
  }

  private schedule(): void {
    if (this.over || this.timer) return
    const rest = INTERVAL_MS - (Date.now() - this.flushedAt)
    this.timer = setTimeout(() => this.flush(), Math.min(INTERVAL_MS, Math.max(DELAY_MS, rest)))
  }

  private flush(): void {
    this.timer = undefined
    if (this.over) return
    this.flushedAt = Date.now()
    if (!this.sink.room()) {
      this.gap() // it has not read what it was told before: one word replaces all that waits
      return
    }
    if (this.resync) this.sink.write('data: {"resync":true}\n\n')
    else this.sink.write([...this.waiting.values()].map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''))
    this.resync = false
    this.waiting.clear()
  }
}

/** Both, as one: no ids where there would be too many, or where one of them means all rows; the older time. */
export function merged(a: Announcement, b: Announcement): Announcement {
  const ids = a.ids && b.ids ? [...new Set([...a.ids, ...b.ids])] : undefined
  const heard = [a.heardAt, b.heardAt].filter((t): t is number => t !== undefined)
  return {
    topic: a.topic,
    ...(a.cluster ? { cluster: a.cluster } : {}),
    ...(ids && ids.length <= MAX_IDS ? { ids } : {}),
    ...(heard.length > 0 ? { heardAt: Math.min(...heard) } : {}),
  }
}
