import type { Tx } from '@/lib/db/client'
import type { Wave } from '@/lib/domain/policies'
import type { Waved, WavedGroup } from './membership'
import type { Newest } from './newest'
import { placeOf, type Place } from './place'
import { UNENDED, type RunMember } from './run-members'

/** A change that was in a wave, and was not done when its cluster was disconnected. */
export interface Left {
  groupId: string
  clusterId: string
  /** "atlas/payments-prod/workers-a" */
  name: string
  changeId: string
  wish: string
  exact: string | null
  detectedAt: Date
  place: Place
}

/** Of each group the newest, where nothing was placed in a wave since. Whoever connects its cluster again finds the same uids. */
const LEFT = `
SELECT DISTINCT ON (c.group_id) c.group_id::text AS "groupId", c.cluster_id::text AS "clusterId", c.id::text AS "changeId",
  k.name || '/' || c.workload_cluster || '/' || c.group_name AS name, c.wish, c.wish_exact AS exact, c.detected_at AS "detectedAt", c.wave AS place
FROM change c JOIN management_cluster k ON k.id = c.cluster_id
WHERE c.left_after IS NOT NULL AND c.wish IS NOT NULL AND jsonb_typeof(c.wave) = 'object' AND ($1::text IS NULL OR c.wish = $1)
  AND NOT EXISTS (SELECT 1 FROM change newer WHERE newer.group_id = c.group_id AND newer.detected_at > c.detected_at
    AND (jsonb_typeof(newer.wave) = 'object' OR newer.left_after IS NOT NULL))
ORDER BY c.group_id, c.detected_at DESC, c.id`

/** `wish`: only of what wants this. */
export const leftInWaves = (tx: Tx, wish: string | null): Promise<Left[]> => tx.$queryRawUnsafe<Left[]>(LEFT, wish)

/** Where a place is among the waves as they are written now: nobody knows into which of them a group would come that is not there. */
export function indexNow(waves: readonly Wave[], place: Place): number {
  const index = waves.findIndex(({ name }) => name === place.name)
  return index >= 0 ? index : Math.min(place.index, waves.length - 1)
}

const AWAY = 'its cluster was disconnected before it was done: connect it again, or skip its wave'
const BACK = 'not done when its cluster was disconnected: skip its wave, or roll it out anew'

/**
 * What was left counts as not through: nobody knows what became of it, and no disconnect opens a wave. Until its group is there again
 * and known, and has what was wanted with every machine available, or wants something else.
 */
export function addLeft(
  found: Map<string, RunMember[]>,
  { policy, waves, groups }: Waved,
  left: readonly Left[],
  { newest, known }: { newest: ReadonlyMap<string, Newest>; known: ReadonlySet<string> },
): void {
  const mine = new Set(groups.map(({ id }) => id))
  for (const { groupId: id, clusterId, name, changeId, wish, exact, detectedAt, place } of left) {
    if (place.policyId !== policy.id) continue
    // What is known is kept for seconds, and the group may be gone since.
    const row = known.has(id) ? newest.get(id) : undefined
    if (known.has(id) && !mine.has(id)) continue
    if (row && (row.id !== changeId || (row.settled && !row.unended))) continue
    const at = row?.unended ? UNENDED[row.unended] : row ? BACK : AWAY
    const members = found.get(wish) ?? []
    if (members.some((member) => member.id === id)) continue
    const stands = { state: 'open', at, stays: true, exact, detected: detectedAt.getTime() } as const
    found.set(wish, [...members, { id, clusterId, name, wave: indexNow(waves, place), change: null, ...stands }])
  }
}

/** A group whose labels nobody knows at this moment is in the wave in which it was placed: it is not left out by that. */
export function withUnknown(one: Waved, unknown: readonly WavedGroup[], newest: ReadonlyMap<string, Newest>): Waved {
  const added = unknown.flatMap((group): Waved['groups'] => {
    const place = placeOf(newest.get(group.id)?.wave)
    return place?.policyId === one.policy.id ? [{ ...group, wave: indexNow(one.waves, place), unknown: true }] : []
  })
  return added.length > 0 ? { ...one, groups: [...one.groups, ...added] } : one
}
