import { createHash } from 'node:crypto'
import { atMost } from '@/lib/at-most'
import type { Updater } from '@/lib/db/generated/client'
import { askedText } from '@/lib/domain/changes/patches'
import type { Compared } from '@/lib/providers/cluster-api/changes'
import { coverageOf, type Known } from '@/lib/services/updaters/coverage'

const KEEP_MS = 10 * 60_000
const RETRY_MS = 15_000
const MOST = 20_000
/** One updater that hangs must not keep hundreds of changes waiting; nor are updaters to be flooded. */
const AT_ONCE = 8

/** What the updaters say about changes, asked in the background, a few at a time and each once, and kept per fingerprint and question: of a
 * control plane, what is empty counts in the question alone. */
export class CoverageBook {
  private readonly known = new Map<string, Known & { at: number; round: number }>()
  private readonly asking = new Set<string>()
  private readonly few = atMost(AT_ONCE)
  private round = 0

  /** An updater may answer otherwise from now on: everything is asked anew, and what is known is shown until then. */
  doubt(): void {
    this.round += 1
  }

  /** The answer where it is known; otherwise asks, and calls `later` when there is one. */
  look({ pair, question }: Compared, updaters: Updater[], later: () => void): Known | null {
    if (!question) return null
    const key = `${identity(updaters)} ${pair.fingerprint} ${digestOf(askedText(question.hook, question.request))}`
    const found = this.known.get(key)
    const keep = found && 'unknown' in found.coverage ? RETRY_MS : KEEP_MS
    const fresh = found?.round === this.round && Date.now() - found.at < keep
    if (!fresh && !this.asking.has(key)) {
      this.asking.add(key)
      void this.few(async () => {
        // What begins to doubt while it is asked is not settled by its answer.
        const { round } = this
        const answer = await coverageOf(updaters, question)
        this.asking.delete(key)
        this.known.delete(key)
        const [oldest] = this.known.keys()
        if (this.known.size >= MOST && oldest !== undefined) this.known.delete(oldest)
        this.known.set(key, { ...answer, at: Date.now(), round })
        later()
      })
    }
    return found ?? null
  }
}

/** Who is asked, where, trusted by what, and in which order: with any other of these it is another question. */
function identity(updaters: readonly Updater[]): string {
  const list = updaters.map(({ id, url, caPem }) => [id, url, caPem])
  return digestOf(JSON.stringify(list))
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64')
