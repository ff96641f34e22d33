import { db } from '@/lib/db/client'
import { notPausableKinds } from '@/lib/domain/access/not-pausable'
import type { Capabilities } from '@/lib/domain/capabilities'
import { POOL } from '@/lib/domain/latch/hold'
import { imageWords, notPausedWords, strengthOf, type PoolStrength } from '@/lib/domain/latch/pool-words'
import { OS_CONFIGS } from '@/lib/providers/openshift/built'
import { poolsHeldNow, poolsTrouble } from '../latch/held-by'
import { isFollowed, NO_WORKER, poolsDownNow } from '../latch/watch-now'

/** How a pool is held at this moment, whether anything waits or not. */
export interface HoldNow {
  strength: PoolStrength
  /** Of one that is to be held by pausing: why nobody watches it; null: somebody does. */
  down: string | null
  /** Of one that is to be held by pausing, and cannot be paused: that. */
  notPaused: string | null
  /** Of OS images, where they are held otherwise; null: they are not. */
  images: string | null
  /** Of one that is to be latched in the same write: what is wrong with that now; null: nothing is known to be. */
  trouble: string | null
}

interface Of {
  clusterId: string
  imageMode: string
}
type Cluster = Parameters<typeof poolsHeldNow>[0] & Parameters<typeof poolsTrouble>[1] & { discovery: unknown }
type Group = { governed: boolean; watchTrouble: string | null } | null

export async function holdNow({ clusterId, imageMode }: Of, cluster: Cluster, group: Group): Promise<HoldNow> {
  const strength = strengthOf(cluster.latchForm, poolsHeldNow(cluster), group?.governed ?? false)
  const isPausing = strength === 'pausing'
  const [unseen, down, trouble, followed] = await Promise.all([
    // What was known of images is old where nobody is told of them any more.
    db().stream.count({ where: { clusterId, resource: OS_CONFIGS, state: { not: 'watching' } } }),
    isPausing ? poolsDownNow(clusterId) : null,
    isPausing || strength === 'not-held' ? null : poolsTrouble(clusterId, cluster),
    isFollowed(clusterId),
  ])
  const why = group?.watchTrouble ?? null
  const mayNot = why !== null || notPausableKinds((cluster.discovery ?? {}) as Capabilities).includes(POOL)
  return {
    ...{ strength, down, trouble },
    notPaused: isPausing && mayNot ? notPausedWords(why) : null,
    images: imageWords(unseen > 0 ? 'unknown' : imageMode, strength, isPausing || followed ? null : NO_WORKER),
  }
}
