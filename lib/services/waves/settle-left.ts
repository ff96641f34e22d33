import type { Tx } from '@/lib/db/client'
import { newestOf } from './newest'

/** What came since says itself where it is. */
const UNSETTLED = `
SELECT c.id::text AS id, c.group_id::text AS "groupId", c.wish FROM change c JOIN machine_group g ON g.id = c.group_id
WHERE c.left_after IS NOT NULL AND c.settled_at IS NULL AND c.wish IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM change newer WHERE newer.group_id = c.group_id AND newer.detected_at > c.detected_at
    AND (newer.left_after IS NULL OR newer.wish IS DISTINCT FROM c.wish))`

const SETTLE = `
WITH one AS (SELECT id FROM change WHERE id = ANY($1::uuid[]) AND settled_at IS NULL ORDER BY id FOR UPDATE)
UPDATE change SET settled_at = now() FROM one WHERE change.id = one.id`

/**
 * From when it was first seen that its group has it, it soaks; disconnected once more, or deleted, nobody could know that any more.
 * By their ids.
 */
export async function settle(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.$executeRawUnsafe(SETTLE, ids)
}

/** The same of what was left with its cluster, also where nobody wants it at this moment. Only what was left before it was looked at. */
export async function settleLeft(tx: Tx): Promise<void> {
  const rows = await tx.$queryRawUnsafe<{ id: string; groupId: string; wish: string }[]>(UNSETTLED)
  if (rows.length === 0) return
  const newest = await newestOf(tx, [...new Set(rows.map(({ groupId }) => groupId))])
  const settled = rows.filter(({ groupId, wish }) => {
    const row = newest.get(groupId)
    const has = !wish.startsWith('version ') || wish === `version ${row?.version}`
    return row?.left && row.settled && row.available && row.unended === null && has
  })
  await settle(
    tx,
    settled.map(({ id }) => id),
  )
}
