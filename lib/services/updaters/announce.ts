import type { Tx } from '@/lib/db/client'
import { announce, type Announcement } from '@/lib/db/notify'

/** Whether it says that the updaters may be others or answer otherwise; with ids it is about their health alone. */
export const isRegistry = ({ topic, ids }: Announcement): boolean => topic === 'updaters' && !ids

/** Those who show clusters show their updaters, too. The worker asks anew about what waits. */
export async function announceUpdaters(tx: Tx, clusterId: string | null | undefined): Promise<void> {
  const cluster = clusterId ?? undefined
  await announce(tx, { topic: 'clusters', cluster })
  await announce(tx, { topic: 'updaters', cluster })
}
