import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { MACHINE_CONFIGS, releaseOfConfig } from '@/lib/providers/openshift/rendered'
import type { ClusterView } from '../types'

/** One that could not be read is asked for again after this long. */
const AGAIN_MS = 60_000
/** The operator prunes configs that a node may still name: asked for ever more seldom. */
const MOST_MS = 3_600_000
const AT_ONCE = 4

/**
 * The releases that a cluster's rendered configs were made for. Such a config never changes and is large, so each is read once and
 * only its release is kept; they are not watched.
 */
export class Releases {
  readonly known = new Map<string, string | null>()
  private readonly failed = new Map<string, { until: number; wait: number }>()

  constructor(private readonly clock: () => number = Date.now) {}

  /** Reads those of `names` that are not known, and forgets all others. True: something came to be known. */
  async read(view: ClusterView, names: readonly string[]): Promise<boolean> {
    for (const of of [this.known, this.failed]) for (const name of of.keys()) if (!names.includes(name)) of.delete(name)
    const now = this.clock()
    const missing = (name: string) => !this.known.has(name) || this.failed.has(name)
    const open = names.filter((name) => missing(name) && (this.failed.get(name)?.until ?? 0) <= now)
    let news = false
    for (let i = 0; i < open.length; i += AT_ONCE) {
      const some = await Promise.all(open.slice(i, i + AT_ONCE).map((name) => this.readOne(view, name)))
      news ||= some.includes(true)
    }
    return news
  }

  private async readOne(view: ClusterView, name: string): Promise<boolean> {
    try {
      this.known.set(name, releaseOfConfig(await view.client.get(MACHINE_CONFIGS, name)))
      this.failed.delete(name)
      return true
    } catch (error) {
      if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) throw error
      const gone = error instanceof KubeError && error.code === 404
      const wait = gone ? Math.min(MOST_MS, 2 * (this.failed.get(name)?.wait ?? AGAIN_MS / 2)) : AGAIN_MS
      this.failed.set(name, { until: this.clock() + wait, wait })
      if (gone) this.known.set(name, null)
      return false
    }
  }
}
