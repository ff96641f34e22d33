import type { Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'

/** Those who show clusters show their updaters, too. */
export async function announceUpdaters(tx: Tx, clusterId: string | null | undefined): Promise<void> {
  const cluster = clusterId ?? undefined
  await announce(tx, { topic: 'clusters', cluster })
  await announce(tx, { topic: 'updaters', cluster })
}
