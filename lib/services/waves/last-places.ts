import type { Tx } from '@/lib/db/client'
import { isOpen } from '../changes/states'
import type { Newest } from './newest'
import { placeOf, type Place } from './place'

const LAST = `
SELECT one.id::text AS "groupId", last.wave AS place FROM unnest($1::uuid[]) AS one (id)
CROSS JOIN LATERAL (SELECT wave FROM change WHERE group_id = one.id AND jsonb_typeof(wave) = 'object'
  ORDER BY detected_at DESC LIMIT 1) last`

/** Where groups were placed last, by their ids: those that are there, and more. Not asked for again where the newest change is over, unless they are among those. */
export async function lastPlaces(
  tx: Tx,
  newest: ReadonlyMap<string, Newest>,
  more: Iterable<string>,
): Promise<Map<string, Place>> {
  const places = new Map<string, Place>()
  const asked = new Set(more)
  for (const [id, { wave, state }] of newest) {
    const place = placeOf(wave)
    if (place) places.set(id, place)
    else if (isOpen(state)) asked.add(id)
  }
  const ids = [...asked].filter((id) => !places.has(id))
  if (ids.length === 0) return places
  const rows = await tx.$queryRawUnsafe<{ groupId: string; place: Place }[]>(LAST, ids)
  for (const { groupId, place } of rows) places.set(groupId, place)
  return places
}
