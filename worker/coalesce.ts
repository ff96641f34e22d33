import { backoffDelay } from '@/lib/kubernetes/backoff'

export interface CoalescerOptions<V> {
  /** At least this long between the beginnings of two batches. */
  intervalMs: number
  /** How long the first change after a rest waits for company. */
  delayMs?: number
  /** At most so many keys in a batch. */
  max: number
  flush(batch: Map<string, V>): Promise<void>
  /** What a newer value takes over from the one that still waits. */
  merge?(waiting: V, newer: V): V
  /** A batch failed and will be tried again; return true to give up for good. */
  failed(error: unknown): boolean
}

/**
 * Newest value per key, handed on in batches, one at a time. A burst changes values, it does not lengthen a queue: what
 * waits is never more than there are keys. A failed batch is merged back under what came since, and tried again.
 */
export class Coalescer<V> {
  private pending = new Map<string, V>()
  private inFlight: Map<string, V> | undefined
  private timer: NodeJS.Timeout | undefined
  private lastStart = 0
  private attempt = 0
  private stopped = false
  private paused = false
  private waiting: { remaining: number; resolve: () => void }[] = []
  private attempts: (() => void)[] = []

  constructor(private readonly options: CoalescerOptions<V>) {}

  get size(): number {
    return this.pending.size
  }

  set(key: string, value: V): void {
    if (this.stopped) return
    const waiting = this.options.merge && this.pending.get(key)
    this.pending.set(key, waiting && this.options.merge ? this.options.merge(waiting, value) : value)
    this.schedule()
  }

  /** Keeps what comes, hands on nothing. */
  pause(): void {
    this.paused = true
    clearTimeout(this.timer)
    this.timer = undefined
  }

  resume(): void {
    this.paused = false
    this.schedule()
  }

  /** Resolves when everything that was set before has been flushed, or the coalescer has stopped. */
  flushed(): Promise<void> {
    const remaining = Math.ceil(this.pending.size / this.options.max) + (this.inFlight ? 1 : 0)
    if (remaining === 0 || this.stopped) return Promise.resolve()
    return new Promise((resolve) => this.waiting.push({ remaining, resolve }))
  }

  /** With much waiting: resolves after the next attempt, good or bad, so that a fast reader does not run ahead. */
  room(high: number): Promise<void> | undefined {
    if (this.pending.size < high || this.stopped) return undefined
    return new Promise((resolve) => this.attempts.push(resolve))
  }

  stop(): void {
    this.stopped = true
    clearTimeout(this.timer)
    this.pending.clear()
    for (const { resolve } of this.waiting.splice(0)) resolve()
    for (const resolve of this.attempts.splice(0)) resolve()
  }

  private schedule(): void {
    const { intervalMs, delayMs = 20, max } = this.options
    if (this.inFlight || this.stopped || this.paused || this.pending.size === 0) return
    if (this.timer) {
      // A batch is full: it need not wait for more company.
      if (this.pending.size !== max || this.attempt > 0) return
      clearTimeout(this.timer)
    }
    const sinceLast = Date.now() - this.lastStart
    const retry = this.attempt > 0 ? backoffDelay(this.attempt - 1, { floorMs: 250, capMs: 10_000 }) : 0
    const soon = this.pending.size >= max ? 0 : Math.max(delayMs, intervalMs - sinceLast)
    this.timer = setTimeout(() => void this.run(), Math.max(soon, retry))
  }

  private async run(): Promise<void> {
    this.timer = undefined
    this.lastStart = Date.now()
    const batch = this.take()
    this.inFlight = batch
    try {
      await this.options.flush(batch)
      this.attempt = 0
      for (const waiter of this.waiting) waiter.remaining--
      for (const waiter of this.waiting.filter((w) => w.remaining <= 0)) waiter.resolve()
      this.waiting = this.waiting.filter((w) => w.remaining > 0)
    } catch (error) {
      this.attempt++
      // Older values first in line again, but never over newer ones.
      for (const [key, value] of this.pending) batch.set(key, value)
      if (!this.stopped) this.pending = batch
      if (this.options.failed(error)) this.stop()
    } finally {
      this.inFlight = undefined
      for (const resolve of this.attempts.splice(0)) resolve()
      this.schedule()
    }
  }

  private take(): Map<string, V> {
    const all = this.pending
    if (all.size <= this.options.max) {
      this.pending = new Map()
      return all
    }
    const batch = new Map<string, V>()
    for (const [key, value] of all) {
      if (batch.size >= this.options.max) break
      batch.set(key, value)
      all.delete(key)
    }
    return batch
  }
}
