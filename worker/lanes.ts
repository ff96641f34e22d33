export interface LanesOptions {
  /** At once for one key, and in all. */
  each: number
  most: number
}

/**
 * Works side by side, a few for each key. What hangs keeps others of its key waiting, and nobody else: from where half of all
 * lanes are taken, each key has but one. Begins only what there is room for, and never waits.
 */
export class Lanes {
  private readonly running = new Map<string, { key: string; done: Promise<void> }>()

  constructor(private readonly options: LanesOptions) {}

  /** Ids that are at work. */
  ids(): string[] {
    return [...this.running.keys()]
  }

  /** Keys for which there is no room. */
  full(): string[] {
    return [...new Set([...this.running.values()].map(({ key }) => key))].filter((key) => !this.hasRoom(key))
  }

  hasRoom(key: string): boolean {
    const { each, most } = this.options
    const own = [...this.running.values()].filter((one) => one.key === key).length
    const all = this.running.size
    return all < most && (own === 0 || (own < each && all < most / 2))
  }

  /** False: there was no room, or it is at work already. `work` throws nothing. */
  begin(key: string, id: string, work: () => Promise<void>): boolean {
    if (this.running.has(id) || !this.hasRoom(key)) return false
    const done = work().finally(() => this.running.delete(id))
    this.running.set(id, { key, done })
    return true
  }

  /** Waits for all that has begun. */
  async drained(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ done }) => done))
  }
}
