import { db } from '@/lib/db/client'
import { notWatchedWords, strengthWords } from '@/lib/domain/latch/pool-words'
import type { ComingHold } from '@/lib/domain/pools/pause-risk'
import { holdNow } from './hold-now'

/** How what comes next is held, for a pool that is governed; null: nobody governs it. */
export async function comingHold(row: {
  id: string
  clusterId: string
  atOnce: number | null
  imageMode: string
}): Promise<ComingHold | null> {
  const [cluster, group] = await Promise.all([
    db().managementCluster.findUniqueOrThrow({ where: { id: row.clusterId }, include: { policy: true } }),
    db().group.findUnique({ where: { id: row.id }, select: { governed: true, watchTrouble: true } }),
  ])
  const { strength, down, notPaused, images, trouble } = await holdNow(row, cluster, group)
  if (strength === 'not-held') return null
  const not = down === null ? notPaused : notWatchedWords(down, false)
  if (not !== null) return { waits: false, words: not, images: null, trouble: null }
  const waits = strength === 'not-known' ? null : strength !== 'lost'
  return { waits, words: strengthWords(strength, row.atOnce), images, trouble }
}
