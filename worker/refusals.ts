const AGAIN_MS = 30_000
/** What others wrote to again and again: it may not wait for long, and is no loop. */
const SOON_MS = 5_000

/** What an API server refused is not asked for again in every round, but in a while. */
export class Refusals {
  private readonly until = new Map<string, number>()

  note(key: string, ms = AGAIN_MS): void {
    for (const [old, until] of this.until) if (until <= Date.now()) this.until.delete(old)
    this.until.set(key, Date.now() + ms)
  }

  /** What came of a write of it. */
  heed(key: string, result: object | { soon: boolean } | null): void {
    if (result && 'soon' in result) this.note(key, result.soon ? SOON_MS : AGAIN_MS)
  }

  stands(key: string): boolean {
    return Date.now() < (this.until.get(key) ?? 0)
  }
}
