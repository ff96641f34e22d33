import { FOUND_HELD, watchMark } from '@/lib/domain/latch/watch'
import type { KubeObject } from '@/lib/kubernetes/types'
import { thoseElsewhere } from '@/lib/services/changes/let-go'
import type { Known } from './watch'

const UNKNOWN = { watched: null, letGo: null, trouble: null, approved: null, waits: false }

/**
 * Groups whose rows are another connected cluster's, of which this one is a copy, or that one of it. No row can say what they were,
 * so it is remembered here: nobody approves anything of them, and what is changed, or let go by hand, is paused all the same. It is
 * remembered for as long as no row of their own says it: the other's may be gone long before.
 */
export class Strangers {
  private readonly byUid = new Map<string, Known>()
  private readonly rowless = new Set<string>()

  /** It has no row of its own. */
  has = ({ metadata }: KubeObject): boolean => this.rowless.has(metadata.uid)

  /** Of a row of its own that does not say yet what it was: what is remembered of it. */
  markOf = (group: KubeObject): string | null =>
    this.has(group) ? null : (this.byUid.get(group.metadata.uid)?.watched ?? null)

  /** What is known of those of these groups of which no row of their own says what they were. */
  async among(clusterId: string, uids: string[], known: ReadonlyMap<string, Known>): Promise<Known[]> {
    const without = uids.filter((uid) => !known.has(uid))
    const there = new Set(without.length === 0 ? [] : await thoseElsewhere(clusterId, without))
    // Others are looked at meanwhile: what is known of those stays.
    for (const [uid, { watched }] of known) {
      this.rowless.delete(uid)
      if (watched !== null) this.byUid.delete(uid)
    }
    for (const id of without) {
      if (!there.has(id) && !this.byUid.has(id)) continue
      this.rowless.add(id)
      if (!this.byUid.has(id)) this.byUid.set(id, { id, ...UNKNOWN })
    }
    return uids.flatMap((uid) => {
      const remembered = this.byUid.get(uid)
      const row = known.get(uid)
      return remembered ? [row ? { ...row, watched: remembered.watched } : remembered] : []
    })
  }

  keep(group: KubeObject, what: string): void {
    if (what === 'keep') this.set(group, { watched: watchMark(group) })
    if (what === 'found-held') this.set(group, { watched: FOUND_HELD })
  }

  trouble(group: KubeObject, trouble: string | null): void {
    this.set(group, { trouble })
  }

  private set({ metadata: { uid } }: KubeObject, news: Partial<Known>): void {
    const before = this.byUid.get(uid)
    if (before) this.byUid.set(uid, { ...before, ...news })
  }
}

const ofClusters = new Map<string, Strangers>()

/** Of one management cluster, also when its watch begins anew in this process: just then the other's rows may be gone. */
export function strangersOf(clusterId: string): Strangers {
  const strangers = ofClusters.get(clusterId) ?? new Strangers()
  ofClusters.set(clusterId, strangers)
  return strangers
}
