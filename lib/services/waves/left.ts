import type { Tx } from '@/lib/db/client'
import type { Wave } from '@/lib/domain/policies'
import { OPEN_SQL } from '../changes/states'
import type { Waved, WavedGroup } from './membership'
import type { Newest } from './newest'
import type { Place } from './place'
import { speaks, type RunMember } from './run-members'
import { UNENDED, type Stands } from './stands'

/** A change that was in a wave, and was not done, or soaked, when its cluster was disconnected. */
export interface Left {
  groupId: string
  clusterId: string
  /** "atlas/payments-prod/workers-a" */
  name: string
  wish: string
  exact: string | null
  detectedAt: Date
  finishedAt: Date
  /** Done, or seen to be through, and it soaked. */
  done: boolean
  place: Place
  /** Its cluster is, again; its groups were listed since; and it is among them. */
  connected: boolean
  listed: boolean
  there: boolean
}

/**
 * Of each group the newest, and what waves waited for besides, where nothing that was placed in a wave since is over, and it was not seen to have it. Whoever connects its cluster again finds the same
 * uids. What came since and is open says where it is by itself, to whoever knows of its group already; nothing is over that is overtaken by that. What was not placed yet would
 * have come where the one before it was.
 */
const LEFT = `
SELECT c.group_id::text AS "groupId", c.cluster_id::text AS "clusterId", k.name || '/' || c.workload_cluster || '/' || c.group_name AS name,
  c.wish, c.wish_exact AS exact, c.detected_at AS "detectedAt", coalesce(c.settled_at, c.finished_at, c.detected_at) AS "finishedAt", place.wave AS place,
  c.state = 'done' OR c.settled_at IS NOT NULL AS done,
  k.state <> 'disconnected' AS connected, EXISTS (SELECT 1 FROM stream s WHERE s.cluster_id = c.cluster_id AND k.state = 'connected'
    AND s.state = 'watching' AND starts_with(s.resource, lower(c.group_kind) || 's.')) AS listed,
  EXISTS (SELECT 1 FROM machine_group g WHERE g.id = c.group_id) AS there
FROM (SELECT DISTINCT group_id, wish FROM change WHERE (left_after IS NOT NULL OR awaited_at IS NOT NULL) AND wish = ANY($1)) one
CROSS JOIN LATERAL (SELECT * FROM change WHERE group_id = one.group_id AND wish = one.wish AND (left_after IS NOT NULL OR awaited_at IS NOT NULL)
  ORDER BY detected_at DESC, id LIMIT 1) c
JOIN management_cluster k ON k.id = c.cluster_id
CROSS JOIN LATERAL (SELECT wave FROM change p WHERE p.group_id = c.group_id AND jsonb_typeof(p.wave) = 'object'
  AND p.detected_at <= c.detected_at ORDER BY p.detected_at DESC LIMIT 1) place
WHERE (c.settled_at IS NULL OR c.awaited_at IS NOT NULL)
  AND (c.awaited_at IS NOT NULL OR NOT EXISTS (SELECT 1 FROM change other WHERE other.group_id = c.group_id AND other.detected_at > c.detected_at
    AND other.left_after IS NOT NULL AND other.wish <> c.wish))
  AND NOT EXISTS (SELECT 1 FROM change newer WHERE newer.group_id = c.group_id AND newer.detected_at > coalesce(c.awaited_at, c.detected_at)
    AND jsonb_typeof(newer.wave) = 'object' AND newer.left_after IS NULL AND newer.state NOT IN (${OPEN_SQL})
    AND NOT (newer.state = 'superseded' AND EXISTS (SELECT 1 FROM change o WHERE o.group_id = c.group_id AND o.state IN (${OPEN_SQL}))))`

/** Of what wants one of these. */
export const leftInWaves = (tx: Tx, wishes: readonly string[]): Promise<Left[]> =>
  wishes.length === 0 ? Promise.resolve([]) : tx.$queryRawUnsafe<Left[]>(LEFT, wishes)

/** Where a place is among the waves as they are written now: nobody knows into which of them a group would come that is not there. */
export function indexNow(waves: readonly Wave[], place: Place): number {
  const index = waves.findIndex(({ name }) => name === place.name)
  return index >= 0 ? index : Math.min(place.index, waves.length - 1)
}

const AWAY = 'its cluster was disconnected before it was done: connect it again, or do not wait for its wave'
const GONE =
  'not done when its cluster was disconnected, and not there since that is connected again: do not wait for its wave'
const COMES = 'not done when its cluster was disconnected; what it is now is not known yet'
const BACK = 'not done when its cluster was disconnected: roll it out anew, or do not wait for its wave'

function standsAt({ connected, listed, there }: Left, row: Newest | undefined): Pick<RunMember, 'at' | 'stays'> {
  if (row?.unended === 'unready') return { at: UNENDED.unready }
  // It may have been changed back meanwhile: then nothing comes.
  if (row?.atHook && !row.settled) return { at: COMES }
  if (row) return { at: row.unended ? UNENDED[row.unended] : BACK, stays: true }
  if (!connected && !there) return { at: AWAY, stays: true }
  return listed && !there ? { at: GONE, stays: true } : { at: COMES }
}

/** Of those of this run: what is open, and what was through since the first of that was found. */
interface Asked {
  exacts: Set<string>
  /** When the first of those was found. */
  began: number
}

function askedBy(members: readonly RunMember[]): Asked {
  const changes = members.filter(({ change }) => change !== null)
  const found = ({ detected = Infinity, wished = detected }: RunMember) => wished
  const first = changes.reduce((at, member) => (member.state === 'open' ? Math.min(at, found(member)) : at), Infinity)
  const through = changes.filter(({ state, since = -Infinity }) => state === 'through' && since >= first)
  return {
    exacts: new Set(
      [...changes.filter(({ state }) => state === 'open'), ...through].flatMap(({ exact }) => exact ?? []),
    ),
    began: through.reduce((began, member) => Math.min(began, found(member)), first),
  }
}

/**
 * What is wanted again and again with other dates (restarts, secrets) was left in another run, unless one of this run wants the very
 * same, or it had begun by then. A version is the same whenever it is wanted.
 */
const isOfRun = ({ wish, exact, finishedAt }: Left, { exacts, began }: Asked): boolean =>
  wish.startsWith('version ') || (exact !== null && exacts.has(exact)) || began <= finishedAt.getTime()

/**
 * What was left counts as not through: nobody knows what became of it, and no disconnect opens a wave. Until its group is there again
 * and known, and has what was wanted with every machine available, or wants something else.
 */
export function addLeft(
  found: ReadonlyMap<string, RunMember[]>,
  { policy, waves, groups }: Waved,
  left: readonly Left[],
  { newest, known }: { newest: ReadonlyMap<string, Newest>; known: ReadonlySet<string> },
): void {
  const mine = new Set(groups.map(({ id }) => id))
  const runs = new Map<string, { asked: Asked; ids: Set<string> }>()
  const added = left.flatMap((one): [RunMember[], RunMember][] => {
    const { groupId: id, clusterId, name, wish, exact, detectedAt, place } = one
    const members = found.get(wish)
    if (!members || place.policyId !== policy.id) return []
    // What is known is kept for seconds, and the group may be gone since.
    const row = known.has(id) ? newest.get(id) : undefined
    if ((known.has(id) && !mine.has(id)) || (row && speaks(row))) return []
    const run = runs.get(wish) ?? { asked: askedBy(members), ids: new Set(members.map((member) => member.id)) }
    runs.set(wish, run)
    if (run.ids.has(id) || !isOfRun(one, run.asked)) return []
    const stands: Stands = one.done
      ? { state: 'was', since: one.finishedAt.getTime() }
      : { state: 'open', ...standsAt(one, row) }
    const of = { exact, detected: detectedAt.getTime() }
    return [[members, { id, clusterId, name, wave: indexNow(waves, place), change: null, ...of, ...stands }]]
  })
  for (const [members, member] of added) members.push(member)
}

/** A group whose labels nobody knows at this moment is in the wave in which it was placed last: it is not left out by that. */
export function withUnknown(one: Waved, unknown: readonly WavedGroup[], places: ReadonlyMap<string, Place>): Waved {
  const added = unknown.flatMap((group): Waved['groups'] => {
    const place = places.get(group.id)
    return place?.policyId === one.policy.id ? [{ ...group, wave: indexNow(one.waves, place), unknown: true }] : []
  })
  return added.length > 0 ? { ...one, groups: [...one.groups, ...added] } : one
}
