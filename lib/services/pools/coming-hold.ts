import { db } from '@/lib/db/client'
import { notPausableKinds } from '@/lib/domain/access/not-pausable'
import type { Capabilities } from '@/lib/domain/capabilities'
import { POOL } from '@/lib/domain/latch/hold'
import { imageWords, notPausedWords, notWatchedWords, strengthOf, strengthWords } from '@/lib/domain/latch/pool-words'
import type { ComingHold } from '@/lib/domain/pools/pause-risk'
import { OS_CONFIGS } from '@/lib/providers/openshift/built'
import { poolsHeldNow } from '../latch/held-by'
import { poolsDownNow } from '../latch/watch-now'

/** How what comes next is held, for a pool that is governed; null: nobody governs it. */
export async function comingHold(row: {
  id: string
  clusterId: string
  atOnce: number | null
  imageMode: string
}): Promise<ComingHold | null> {
  const { clusterId } = row
  const [cluster, group, unseen] = await Promise.all([
    db().managementCluster.findUniqueOrThrow({ where: { id: clusterId }, include: { policy: true } }),
    db().group.findUnique({ where: { id: row.id }, select: { governed: true, watchTrouble: true } }),
    // What was known of images is old where nobody is told of them any more.
    db().stream.count({ where: { clusterId, resource: OS_CONFIGS, state: { not: 'watching' } } }),
  ])
  const strength = strengthOf(cluster.latchForm, poolsHeldNow(cluster), group?.governed ?? false)
  if (strength === 'not-held') return null
  const down = strength === 'pausing' ? await poolsDownNow(clusterId) : null
  if (down !== null) return { waits: false, words: notWatchedWords(down, false), images: null }
  const found = (cluster.discovery as unknown as Capabilities | null) ?? {}
  const trouble = group?.watchTrouble ?? null
  if (strength === 'pausing' && (trouble !== null || notPausableKinds(found).includes(POOL)))
    return { waits: false, words: notPausedWords(trouble), images: null }
  return {
    waits: strength !== 'lost',
    words: strengthWords(strength, row.atOnce),
    images: imageWords(unseen > 0 ? 'unknown' : row.imageMode, strength),
  }
}
