import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { MACHINE_CONFIGS, releaseOfConfig } from '@/lib/providers/openshift/rendered'
import type { ClusterView } from '../types'

/** One that could not be read is asked for again after this long. */
const AGAIN_MS = 60_000
const AT_ONCE = 4

/**
 * The releases that a cluster's rendered configs were made for. Such a config never changes and is large, so each is read once and
 * only its release is kept; they are not watched.
 */
export class Releases {
  readonly known = new Map<string, string | null>()
  private readonly failed = new Map<string, number>()

  /** Reads those of `names` that are not known, and forgets all others. True: something came to be known. */
  async read(view: ClusterView, names: readonly string[]): Promise<boolean> {
    for (const name of this.known.keys()) if (!names.includes(name)) this.known.delete(name)
    const now = Date.now()
    const open = names.filter((name) => !this.known.has(name) && (this.failed.get(name) ?? 0) <= now)
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
      this.failed.set(name, Date.now() + AGAIN_MS)
      return false
    }
  }
}
