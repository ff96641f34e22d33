import type { Tx } from '@/lib/db/client'

/**
 * From here on Drydock watches the groups of a cluster and pauses those that are governed and changed. What is under way by now
 * goes on, as with any latch: what each group wants when it is first looked at is where it begins.
 */
export async function beginWatching(tx: Tx, clusterId: string): Promise<void> {
  const where = { id: clusterId, watchSince: null }
  const { count } = await tx.managementCluster.updateMany({ where, data: { watchSince: new Date(), ...NOBODY } })
  if (count > 0) await tx.group.updateMany({ where: { clusterId }, data: UNKNOWN })
}

/** It pauses nothing any more; what is held stays held. */
export async function endWatching(tx: Tx, clusterId: string): Promise<void> {
  await tx.managementCluster.update({ where: { id: clusterId }, data: { watchSince: null, ...NOBODY } })
  await tx.group.updateMany({ where: { clusterId }, data: UNKNOWN })
}

const NOBODY = { watchFence: null, watchLookedAt: null }
const UNKNOWN = { watched: null, watchedDecision: null, watchTrouble: null }
