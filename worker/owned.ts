import type { Tx } from '@/lib/db/client'

/** Another worker owns the management cluster by now: nothing of this may be written, neither here nor there. */
export async function stillOwned(
  tx: Tx,
  clusterId: string,
  mine: { fence: bigint } | { owner: string },
): Promise<void> {
  const lease = await tx.clusterLease.findUnique({ where: { clusterId } })
  if (!lease) return
  const ours = 'fence' in mine ? lease.fence === mine.fence : lease.owner === mine.owner
  if (!ours) throw new Error('Another worker owns this management cluster now.')
}
