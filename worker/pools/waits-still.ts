import { sameButImage } from '@/lib/domain/latch/digest'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { PoolChange, Waits } from '@/lib/providers/openshift/pool-change'
import { poolChange } from '@/lib/providers/openshift/pool-change'
import { readPool } from '@/lib/providers/openshift/pools'
import { isHeld } from '@/lib/services/changes/hold-of'
import { letGoOf } from '@/lib/services/changes/let-go'
import { waitsOn } from '@/lib/services/changes/nodes-away'
import type { Row } from '../planner/common'
import { holdsHere } from '../planner/hold'
import type { ClusterView } from '../types'
import { configBefore } from './config-before'
import { keptConfigs } from './kept-configs'

/** How a change of what the pool wants waits; undefined: none does, or it was let go. */
export async function howItWaits(pool: KubeObject, digest: string, open: Row | null): Promise<Waits | undefined> {
  return open && isWaiting(pool, digest, open) ? waitsOn(pool, open) : undefined
}

function isWaiting(pool: KubeObject, digest: string, { digest: of, state, decisions }: Row): boolean {
  if (of !== digest) return false
  const approved = decisions[0] !== undefined && decisions[0].mode !== 'reject'
  // Sent, and the pool is not held any more: it was let go.
  if (approved && decisions[0]!.state !== 'recorded' && !isHeld(pool)) return false
  return ['waiting', 'rejected', 'approved'].includes(state) || (isHeld(pool) && !approved)
}

/**
 * What comes to a pool without nodes waits as any other: its operator says at once that all have it, and whichever node joins would take
 * it up. Null: it is not held, or is what the pool was let go with.
 */
export async function comesToNone(
  view: ClusterView,
  pool: KubeObject,
  digest: string,
  open: Row | null,
): Promise<PoolChange | null> {
  const { uid } = pool.metadata
  const { counts } = readPool(pool)
  if (counts.machines > 0 || open?.digest === digest || !isHeld(pool) || !(await holdsHere(view, uid))) return null
  const letGo = await letGoOf(view.clusterId, uid)
  if (letGo === digest || (letGo !== null && sameButImage(letGo, digest))) return null
  const from = letGo === null ? null : await configBefore(view.clusterId, pool)
  const none = () => Promise.resolve({ nodes: 0, images: 0 })
  return poolChange(pool, keptConfigs(view), none, { from, stays: true })
}
