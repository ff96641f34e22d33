import type { Tx } from '@/lib/db/client'
import type { Place } from './place'

const LAST = `
SELECT one.id::text AS "groupId", last.wave AS place FROM unnest($1::uuid[]) AS one (id)
CROSS JOIN LATERAL (SELECT wave FROM change WHERE group_id = one.id AND jsonb_typeof(wave) = 'object'
  ORDER BY detected_at DESC LIMIT 1) last`

/** Where each of these groups was placed last, by their ids: its newest change may not have been placed yet. */
export async function lastPlaces(tx: Tx, ids: readonly string[]): Promise<Map<string, Place>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.$queryRawUnsafe<{ groupId: string; place: Place }[]>(LAST, ids)
  return new Map(rows.map(({ groupId, place }) => [groupId, place]))
}
