import type { Clock } from './clock'

interface Entry {
  running: boolean
  again: boolean
  failures: number
  startedAt: number
  due?: { at: number; cancel: () => void }
}

/**
 * A work queue like controller-runtime's: one run per key at a time, events coalesced, at most one run per second and
 * key, failures retried after 5 ms * 2^n (up to 1000 s) on top of that second.
 */
export class Queue {
  private entries = new Map<string, Entry>()
  private runs = new Set<Promise<void>>()

  constructor(
    private readonly clock: Clock,
    /** Returns simulated seconds until the next run, if one is wanted without an event. */
    private readonly reconcile: (key: string) => Promise<number | undefined>,
    private readonly onError: (key: string, error: unknown) => void,
    /** At least so many simulated seconds between two runs of a key. */
    private readonly interval = 1,
  ) {}

  add(key: string) {
    const entry = this.entry(key)
    if (entry.running) entry.again = true
    else this.schedule(key, entry, 0)
  }

  async idle() {
    await Promise.allSettled([...this.runs])
  }

  private entry(key: string) {
    let entry = this.entries.get(key)
    if (!entry) this.entries.set(key, (entry = { running: false, again: false, failures: 0, startedAt: -Infinity }))
    return entry
  }

  private schedule(key: string, entry: Entry, delayMs: number) {
    const now = Date.now()
    const at = Math.max(now + delayMs, entry.startedAt + this.clock.ms(this.interval))
    if (entry.due && entry.due.at <= at) return
    entry.due?.cancel()
    const cancel = this.clock.after(at - now, () => {
      entry.due = undefined
      const run = this.run(key, entry).finally(() => this.runs.delete(run))
      this.runs.add(run)
    })
    entry.due = { at, cancel }
  }

  private async run(key: string, entry: Entry) {
    entry.running = true
    entry.again = false
    entry.startedAt = Date.now()
    let next: number | undefined
    try {
      const seconds = await this.reconcile(key)
      entry.failures = 0
      if (seconds !== undefined) next = this.clock.ms(seconds)
    } catch (error) {
      if (!this.clock.stopped) this.onError(key, error)
      next = this.clock.ms(this.interval + Math.min(0.005 * 2 ** entry.failures++, 1000))
    }
    entry.running = false
    if (entry.again) this.schedule(key, entry, 0)
    if (next !== undefined) this.schedule(key, entry, next)
    if (!entry.due && entry.failures === 0) this.forget(key, entry)
  }

  /** Keeps the last start for the rate limit only as long as it matters. */
  private forget(key: string, entry: Entry) {
    this.clock.after(this.clock.ms(this.interval) + 1, () => {
      if (!entry.running && !entry.due && this.entries.get(key) === entry) this.entries.delete(key)
    })
  }
}
