import { FOUND_HELD, watchMark } from '@/lib/domain/latch/watch'
import type { KubeObject } from '@/lib/kubernetes/types'
import { thoseElsewhere } from '@/lib/services/changes/let-go'
import type { Known } from './watch'

/**
 * Groups whose rows are another connected cluster's, of which this one is a copy, or that one of it. No row can say what they were,
 * so it is remembered here: nobody approves anything of them, and what is changed, or let go by hand, is paused all the same.
 */
export class Strangers {
  private readonly byUid = new Map<string, Known>()

  has = ({ metadata }: KubeObject): boolean => this.byUid.has(metadata.uid)

  /** Of groups without a row here. Who has one by now is no stranger any more. */
  async among(clusterId: string, uids: string[], known: ReadonlyMap<string, Known>): Promise<Known[]> {
    const without = uids.filter((uid) => !known.has(uid))
    const there = new Set(without.length === 0 ? [] : await thoseElsewhere(clusterId, without))
    for (const uid of uids) if (!there.has(uid)) this.byUid.delete(uid)
    return [...there].map((id) => {
      const stranger = this.byUid.get(id) ?? {
        id,
        watched: null,
        letGo: null,
        trouble: null,
        approved: null,
        waits: false,
      }
      this.byUid.set(id, stranger)
      return stranger
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
