import { pool as database } from '@/lib/db/client'
import { isPool } from '@/lib/domain/latch/hold'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { OS_CONFIGS, readBuilt, withBuilt } from '@/lib/providers/openshift/built'
import type { ClusterView, ObjectChange } from '../types'

/**
 * A pool with the OS image that is built for it, out of the watch cache; null: that is not known yet, and will be. Others as they are.
 * Where the watch is away for a moment, it is what the watch knew last: see builtNow.
 */
export function builtIn(view: ClusterView, group: KubeObject): KubeObject | null {
  if (!isPool(group)) return group
  const heard = view.heard?.(OS_CONFIGS) ?? 'listed'
  if (heard === 'open') return null
  // Where no such object is served, none is built, whatever was kept from before.
  if (heard === 'unserved') return withBuilt(group, [])
  const isRefused = heard === 'refused' || view.heardNow?.(OS_CONFIGS) === 'refused'
  return withBuilt(group, isRefused ? undefined : view.objects(OS_CONFIGS).values())
}

export interface BuiltNow {
  pool: KubeObject
  /** Nodes on their way to another image than this one: it is nobody's who let this one go. */
  others: number
  /** Which one is built may have changed, and could not be asked. */
  isOpen: boolean
}

/**
 * The same as of now. The watch may be behind, or away, while that of nodes goes on: where they are told of another image than it
 * knows, or it is away and they are elsewhere, the API server is asked.
 */
export async function builtNow(view: ClusterView, pool: KubeObject): Promise<BuiltNow> {
  // Not known at all: what moves is told as that.
  if (pool.built === undefined) return { pool, others: 0, isOpen: false }
  const { elsewhere, others } = await imagesOf(pool)
  const isHeard = (view.heardNow?.(OS_CONFIGS) ?? 'listed') !== 'open'
  if (elsewhere === 0 || (isHeard && others === 0)) return { pool, others: 0, isOpen: false }
  try {
    const read = await readBuilt(view.client, pool, view.capabilities.resources[OS_CONFIGS])
    const now = read.built === undefined ? 0 : (await imagesOf(read)).others
    return { pool: read, others: now, isOpen: false }
  } catch (error) {
    if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) throw error
    return { pool, others, isOpen: true }
  }
}

const IMAGES = `
SELECT count(*)::int AS elsewhere, (count(*) FILTER (WHERE n.current_image IS DISTINCT FROM n.desired_image))::int AS others
FROM config_pool p JOIN config_node n ON n.cluster_id = p.cluster_id AND n.pool = p.name
WHERE p.id = $1::uuid AND n.desired_image IS DISTINCT FROM $2::text`

/** Nodes of a pool that are to have another image than the one that is built for it, and those that are on their way there. */
async function imagesOf({ metadata, built }: KubeObject): Promise<{ elsewhere: number; others: number }> {
  const { rows } = await database().query<{ elsewhere: number; others: number }>(IMAGES, [
    metadata.uid,
    built?.image ?? null,
  ])
  return rows[0]!
}

/** The pools that a change of a MachineOSConfig concerns, as "resource key". */
export function poolsOfConfig({ resource, object }: ObjectChange, pools: string): string[] {
  if (resource !== OS_CONFIGS) return []
  const name = (object.spec?.machineConfigPool as { name?: string } | undefined)?.name
  return name ? [`${pools} ${name}`] : []
}
