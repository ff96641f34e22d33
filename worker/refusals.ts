const AGAIN_MS = 30_000
/** What others wrote to again and again: it may not wait for long, and is no loop. */
const SOON_MS = 5_000

/** A read that fails for so long is told, and made no more in every round. */
const LASTING_MS = 15_000
/** What failed so long ago was another time. */
const LATELY_MS = 120_000

/** What an API server refused is not asked for again in every round, but in a while. */
export class Refusals {
  private readonly until = new Map<string, number>()

  note(key: string, ms = AGAIN_MS): void {
    for (const [old, until] of this.until) if (until <= Date.now()) this.until.delete(old)
    this.until.set(key, Date.now() + ms)
  }

  /** What came of a write of it. */
  heed(key: string, result: object | { why: string } | null): void {
    if (result && 'why' in result) this.note(key, result.why === 'busy' ? SOON_MS : AGAIN_MS)
  }

  stands(key: string): boolean {
    return Date.now() < (this.until.get(key) ?? 0)
  }
}

/** Reads that have to come before a write, and fail: once says nothing. */
export class FailingReads {
  private readonly all = new Map<string, { since: number; last: number }>()

  /** It failed once more: whether it has for long. */
  isLasting(key: string): boolean {
    const now = Date.now()
    for (const [old, { last }] of this.all) if (now - last > LATELY_MS) this.all.delete(old)
    const since = this.all.get(key)?.since ?? now
    this.all.set(key, { since, last: now })
    return now - since >= LASTING_MS
  }

  ended(key: string): void {
    this.all.delete(key)
  }
}
