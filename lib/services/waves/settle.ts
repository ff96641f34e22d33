import type { Tx } from '@/lib/db/client'

const SETTLE = `
WITH one AS (SELECT id FROM change WHERE id = ANY($1::uuid[]) AND settled_at IS NULL ORDER BY id FOR UPDATE)
UPDATE change SET settled_at = found.at FROM one JOIN unnest($1::uuid[], $2::timestamptz[]) AS found (id, at) USING (id) WHERE change.id = one.id`

/**
 * From when it was first seen that its group has it, it soaks; disconnected once more, or deleted, nobody could know that any more.
 * Changes by their ids, with since when that is known.
 */
export async function settle(tx: Tx, seen: readonly (readonly [id: string, since: Date])[]): Promise<void> {
  if (seen.length === 0) return
  await tx.$executeRawUnsafe(
    SETTLE,
    seen.map(([id]) => id),
    seen.map(([, since]) => since),
  )
}
