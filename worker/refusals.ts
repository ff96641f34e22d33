const AGAIN_MS = 30_000

/** What an API server refused is not asked for again in every round, but in a while. */
export class Refusals {
  private readonly until = new Map<string, number>()

  note(key: string): void {
    for (const [old, until] of this.until) if (until <= Date.now()) this.until.delete(old)
    this.until.set(key, Date.now() + AGAIN_MS)
  }

  stands(key: string): boolean {
    return Date.now() < (this.until.get(key) ?? 0)
  }
}
