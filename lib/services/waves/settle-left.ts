import type { Tx } from '@/lib/db/client'
import { newestOf } from './newest'

/** What came since says itself where it is. */
const UNSETTLED = `
SELECT c.id::text AS id, c.group_id::text AS "groupId" FROM change c JOIN machine_group g ON g.id = c.group_id
WHERE c.left_after IS NOT NULL AND c.left_settled_at IS NULL AND c.wish IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM change newer WHERE newer.group_id = c.group_id AND newer.detected_at > c.detected_at AND newer.left_after IS NULL)`

const SETTLE = `UPDATE change SET left_settled_at = now() WHERE id = ANY($1::uuid[]) AND left_settled_at IS NULL`

/**
 * Writes down of what was left with its cluster that its group has what it wants since: disconnected once more, or deleted, nobody
 * could know that any more. Only of those changes that were left before it was looked at.
 */
export async function settleLeft(tx: Tx): Promise<void> {
  const rows = await tx.$queryRawUnsafe<{ id: string; groupId: string }[]>(UNSETTLED)
  if (rows.length === 0) return
  const newest = await newestOf(tx, [...new Set(rows.map(({ groupId }) => groupId))])
  const settled = rows.filter(({ groupId }) => {
    const row = newest.get(groupId)
    return row?.left && row.settled && row.unended === null
  })
  if (settled.length > 0)
    await tx.$executeRawUnsafe(
      SETTLE,
      settled.map(({ id }) => id),
    )
}
