import type { ReadConfig } from '@/lib/providers/openshift/pool-change'
import { configsOf } from '@/lib/services/changes/group-change'
import type { ClusterView } from '../types'

/** Of a rollout that is looked at every second, two configs of a megabyte; what is let go is read anew before. */
const KEPT_MS = 30_000
const MOST = 8

const kept = new WeakMap<ClusterView['client'], Map<string, { at: number; config: ReturnType<ReadConfig> }>>()

/** Rendered configs, kept for a moment. What could not be read is asked for again. */
export function keptConfigs({ client }: ClusterView): ReadConfig {
  const known = kept.get(client) ?? new Map<string, { at: number; config: ReturnType<ReadConfig> }>()
  kept.set(client, known)
  const read = configsOf(client)
  return async (name) => {
    const before = known.get(name)
    if (before && Date.now() - before.at < KEPT_MS) return before.config
    known.delete(name)
    if (known.size >= MOST) known.delete(known.keys().next().value!)
    const config = read(name)
    known.set(name, { at: Date.now(), config })
    const found = await config.catch((error: unknown) => {
      known.delete(name)
      throw error
    })
    if ('unread' in found) known.delete(name)
    return found
  }
}
