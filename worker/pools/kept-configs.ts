import { compareConfigs, type CompareConfigs, type ComparedConfigs } from '@/lib/providers/openshift/compare-configs'
import { configsOf } from '@/lib/services/changes/group-change'
import type { ClusterView } from '../types'

/** So long nobody asks whether they were edited; what is let go is read anew before. */
const KEPT_MS = 30_000
/** What nobody asked for meanwhile is forgotten. */
const FORGOTTEN_MS = 600_000

interface Kept {
  at: number
  askedAt: number
  compared: ReturnType<CompareConfigs>
}
const kept = new WeakMap<ClusterView['client'], Map<string, Kept>>()

/**
 * What differs between rendered configs, of a rollout that is looked at every second: kept without the configs, and found anew only
 * where one of them is another object by now. What could not be read is asked for again.
 */
export function keptConfigs({ client }: Pick<ClusterView, 'client'>, clock: () => number = Date.now): CompareConfigs {
  const known = kept.get(client) ?? new Map<string, Kept>()
  kept.set(client, known)
  const read = configsOf(client)
  return async (from, to) => {
    const now = clock()
    for (const [key, { askedAt }] of known) if (now - askedAt > FORGOTTEN_MS) known.delete(key)
    const key = JSON.stringify([from, to])
    const before = known.get(key)
    if (before && now - before.at < KEPT_MS) {
      before.askedAt = now
      return before.compared
    }
    const compared = readable(before).then((last) => compareConfigs(read, from, to, last))
    const entry = { at: now, askedAt: now, compared }
    known.set(key, entry)
    const forget = () => known.get(key) === entry && known.delete(key)
    const found = await compared.catch((error: unknown) => {
      forget()
      throw error
    })
    if ('unread' in found) forget()
    return found
  }
}

async function readable(before: Kept | undefined): Promise<ComparedConfigs | null> {
  const last = await before?.compared.catch(() => null)
  return last && !('unread' in last) ? last : null
}
