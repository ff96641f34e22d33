import type { Coverage, RevisionPair } from '@/lib/domain/changes'
import type { Updater } from '@/lib/db/generated/client'
import type { Compared } from '@/lib/providers/cluster-api/changes'
import { canUpdate } from '@/lib/services/updaters/can-update'
import { UpdaterError } from '@/lib/services/updaters/transport'

interface Known {
  at: number
  coverage: Coverage
  by: Map<string, string>
}

const KEEP_MS = 10 * 60_000
const RETRY_MS = 15_000
const TIMEOUT_MS = 4_000
const MOST = 5_000

/** What the updaters say about changes, asked in the background, one question at a time, and kept per fingerprint. */
export class CoverageBook {
  private readonly known = new Map<string, Known>()
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
        const by = new Map<string, string>()
        let coverage: Coverage
        try {
          const answer = await canUpdate(updaters, question.hook, question.request, TIMEOUT_MS)
          coverage = { uncovered: answer.covered ? [] : answer.uncovered }
          answer.by.forEach((name, path) => by.set(path, name))
        } catch (error) {
          coverage = { unknown: error instanceof UpdaterError ? error.message : 'The updaters could not be asked.' }
        }
        this.asking.delete(key)
        if (this.known.size >= MOST) this.known.clear()
        this.known.set(key, { at: Date.now(), coverage, by })
        later()
      })
    }
    return found ?? null
  }
}

/** The pair with the names of those who cover its fields. */
export function covered(pair: RevisionPair, by: ReadonlyMap<string, string>): RevisionPair {
  return {
    ...pair,
    changes: pair.changes.map((change) => {
      const name = by.get(`${change.object}: ${change.path}`)
      return name ? { ...change, coveredBy: name } : change
    }),
  }
}
