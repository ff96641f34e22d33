import type { Tx } from '@/lib/db/client'

interface Lease {
  owner: string
  fence: bigint
}

/** Locked until the end of the transaction: nobody takes over, and no disconnect ends, between the look and the write. */
async function leaseOf(tx: Tx, clusterId: string): Promise<Lease | undefined> {
  const [lease] = await tx.$queryRaw<Lease[]>`
    SELECT owner, fence FROM cluster_lease WHERE cluster_id = ${clusterId}::uuid FOR SHARE`
  return lease
}

/**
 * For the WHERE of a write of one statement: only as long as the lease has this fence, whose row is locked before any other, as by
 * everybody. `news`: rows that are to be written; where there are none nothing is locked, which would be a write to disk.
 */
export function ownedSql(clusterId: string, fence: string, news?: string): string {
  const mine = `coalesce((SELECT fence FROM cluster_lease WHERE cluster_id = ${clusterId} FOR SHARE) = ${fence}::bigint, true)`
  return news === undefined ? mine : `CASE WHEN EXISTS (${news}) THEN ${mine} ELSE false END`
}

/** The same in the middle of a transaction. */
export async function isOwned(tx: Tx, clusterId: string, fence: bigint): Promise<boolean> {
  const lease = await leaseOf(tx, clusterId)
  return !lease || lease.fence === fence
}

/** Nothing of this may be written, neither here nor there. */
export const notOwned = (): Error => new Error('Another worker owns this management cluster now.')

/** Another worker owns the management cluster by now. */
export async function stillOwned(
  tx: Tx,
  clusterId: string,
  mine: { fence: bigint } | { owner: string },
): Promise<void> {
  const lease = await leaseOf(tx, clusterId)
  if (!lease) return
  const ours = 'fence' in mine ? lease.fence === mine.fence : lease.owner === mine.owner
  if (!ours) throw notOwned()
}
