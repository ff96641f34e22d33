import type { Tx } from '@/lib/db/client'

interface Lease {
  owner: string
  fence: bigint
}

/** Locked until the end of the transaction: nobody takes over, and no disconnect ends, between the look and the write. */
export async function leaseOf(tx: Tx, clusterId: string): Promise<Lease | undefined> {
  const [lease] = await tx.$queryRaw<Lease[]>`
    SELECT owner, fence FROM cluster_lease WHERE cluster_id = ${clusterId}::uuid FOR SHARE`
  return lease
}

/** Another worker owns the management cluster by now: nothing of this may be written, neither here nor there. */
export async function stillOwned(
  tx: Tx,
  clusterId: string,
  mine: { fence: bigint } | { owner: string },
): Promise<void> {
  const lease = await leaseOf(tx, clusterId)
  if (!lease) return
  const ours = 'fence' in mine ? lease.fence === mine.fence : lease.owner === mine.owner
  if (!ours) throw new Error('Another worker owns this management cluster now.')
}
