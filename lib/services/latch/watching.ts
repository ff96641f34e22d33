import { db, type Tx } from '@/lib/db/client'
import { POOL } from '@/lib/domain/latch/hold'

/**
 * From here on Drydock watches the groups of a cluster, or its pools alone, and pauses those that are governed and changed. What is
 * under way by now goes on, as with any latch: what each group wants when it is first looked at is where it begins. Who watches all
 * groups watches pools as well.
 */
export async function beginWatching(tx: Tx, clusterId: string, which: 'all' | 'pools' = 'all'): Promise<void> {
  const since = { watchSince: new Date(), watchPoolsOnly: which === 'pools', ...NOBODY }
  const begun = await tx.managementCluster.updateMany({ where: { id: clusterId, watchSince: null }, data: since })
  if (begun.count > 0) await tx.group.updateMany({ where: { clusterId }, data: UNKNOWN })
  if (begun.count > 0 || which === 'pools') return
  const more = await tx.managementCluster.updateMany({ where: { id: clusterId, watchPoolsOnly: true }, data: since })
  if (more.count > 0) await tx.group.updateMany({ where: { clusterId, kind: { not: POOL } }, data: UNKNOWN })
}

/** Pools that the API server would not latch are held by pausing until it does. */
export const pauseInstead = (clusterId: string): Promise<void> =>
  db().$transaction((tx) => beginWatching(tx, clusterId, 'pools'))

/** Pools are watched on, without a moment in between; other groups not any more. */
export async function watchPoolsOnly(tx: Tx, clusterId: string): Promise<void> {
  await tx.managementCluster.update({ where: { id: clusterId }, data: { watchPoolsOnly: true } })
  await tx.group.updateMany({ where: { clusterId, kind: { not: POOL } }, data: UNKNOWN })
}

/** It pauses nothing any more; what is held stays held. */
export async function endWatching(tx: Tx, clusterId: string): Promise<void> {
  const none = { watchSince: null, watchPoolsOnly: false, ...NOBODY }
  await tx.managementCluster.update({ where: { id: clusterId }, data: none })
  await tx.group.updateMany({ where: { clusterId }, data: UNKNOWN })
}

const NOBODY = { watchFence: null, watchLookedAt: null }
const UNKNOWN = { watched: null, watchedDecision: null, watchTrouble: null }
