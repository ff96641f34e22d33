import type { Updater } from '@/lib/db/generated/client'
import type { Compared } from '@/lib/providers/cluster-api/changes'
import { coverageOf, type Known } from '@/lib/services/updaters/coverage'

const KEEP_MS = 10 * 60_000
const RETRY_MS = 15_000
const MOST = 5_000

/** What the updaters say about changes, asked in the background, one question at a time, and kept per fingerprint. */
export class CoverageBook {
  private readonly known = new Map<string, Known & { at: number }>()
  private readonly asking = new Set<string>()
  private queue: Promise<void> = Promise.resolve()

  /** The answer where it is known; otherwise asks, and calls `later` when there is one. */
  look({ pair, question }: Compared, updaters: Updater[], later: () => void): Known | null {
    if (!question) return null
    const key = `${updaters.map((u) => `${u.id} ${u.url}`).join()} ${pair.fingerprint}`
    const found = this.known.get(key)
    const keep = found && 'unknown' in found.coverage ? RETRY_MS : KEEP_MS
    const fresh = found !== undefined && Date.now() - found.at < keep
    if (!fresh && !this.asking.has(key)) {
      this.asking.add(key)
      this.queue = this.queue.then(async () => {
        const answer = await coverageOf(updaters, question)
        this.asking.delete(key)
        if (this.known.size >= MOST) this.known.clear()
        this.known.set(key, { ...answer, at: Date.now() })
        later()
      })
    }
    return found ?? null
  }
}
