import type { Tx } from '@/lib/db/client'
import { isAgainstSql } from '../changes/against'
import { OPEN_SQL } from '../changes/states'
import { beganSql, type Newest } from './newest'
import { isOpen, UNENDED, type Stands } from './stands'

/** Of what others want: what was the newest of it in a group, and is over. It had begun, or was left with its cluster. */
export interface Tried {
  id: string
  groupId: string
  wish: string
  exact: string | null
  state: string
  detectedAt: Date
  finishedAt: Date
  begun: boolean
  /** By itself, or somebody said no to it. */
  stopped: boolean
  left: boolean
  /** Seen to be what its group has since. */
  settledAt: Date | null
  /** Another change of the group was done since. */
  doneAfter: Date | null
}

/**
 * `since`: of what may be wanted again and again with other dates, only what was over after that. A version is the same whenever it
 * is wanted. Not of those whose newest change says so itself (the pairs of $3 and $4).
 */
const TRIED = `
WITH one AS MATERIALIZED (
  SELECT DISTINCT ON (c.group_id, c.wish) c.* FROM unnest($1::text[], $2::timestamptz[]) AS of (wish, since) JOIN change c ON c.wish = of.wish
  WHERE c.state NOT IN (${OPEN_SQL}) AND (of.since IS NULL OR c.finished_at >= of.since)
    AND NOT EXISTS (SELECT 1 FROM unnest($3::uuid[], $4::text[]) AS told (id, wish) WHERE told.id = c.group_id AND told.wish = c.wish)
    AND EXISTS (SELECT 1 FROM machine_group g WHERE g.id = c.group_id)
    AND (c.state = 'done' OR c.left_after IS NOT NULL OR ${beganSql('c')})
  ORDER BY c.group_id, c.wish, c.detected_at DESC, c.id)
SELECT c.id::text AS id, c.group_id::text AS "groupId", c.wish, c.wish_exact AS exact, c.state, c.detected_at AS "detectedAt",
  coalesce(c.finished_at, c.detected_at) AS "finishedAt", c.left_after IS NOT NULL AS left, c.settled_at AS "settledAt", ${beganSql('c')} AS begun,
  c.state <> 'done' AND (c.stopped_at IS NOT NULL OR ${isAgainstSql('c')}) AS stopped,
  CASE WHEN c.state <> 'done' THEN (SELECT max(n.finished_at) FROM change n WHERE n.group_id = c.group_id AND n.state = 'done' AND n.detected_at > c.detected_at) END AS "doneAfter"
FROM one c`

const isVersion = (wish: string): boolean => wish.startsWith('version ')

/** Of each wish that is open, since when the first of those groups wants it: what is written once more was wanted before. */
export function wishedSince(rows: Iterable<Newest>): Map<string, number> {
  const since = new Map<string, number>()
  for (const { state, wish, wishedAt } of rows)
    if (wish !== null && isOpen(state)) since.set(wish, Math.min(since.get(wish) ?? Infinity, wishedAt.getTime()))
  return since
}

/** By group. `wanted`: as wishedSince has it. */
export async function triedOf(
  tx: Tx,
  newest: ReadonlyMap<string, Newest>,
  wanted: ReadonlyMap<string, number>,
): Promise<Map<string, Tried[]>> {
  if (wanted.size === 0) return new Map()
  const since = [...wanted].map(([wish, at]) => (isVersion(wish) ? null : new Date(at)))
  const told = [...newest.values()].filter(
    ({ state, wish }) => wish !== null && wanted.has(wish) && (isOpen(state) || state === 'done'),
  )
  const pairs = [told.map(({ groupId }) => groupId), told.map(({ wish }) => wish)]
  const rows = await tx.$queryRawUnsafe<Tried[]>(TRIED, [...wanted.keys()], since, ...pairs)
  const found = new Map<string, Tried[]>()
  for (const row of rows) found.set(row.groupId, [...(found.get(row.groupId) ?? []), row])
  return found
}

const OVER = 'begun, and over before it was done: do not wait for its wave, or roll it out anew'
const OVERTAKEN = 'another change took its place before it was done, and is not done either'

/**
 * Where a group is with what others want, and its own newest change is another one, or was changed back. What was through goes on
 * soaking; what had begun and never was is waited for, whatever is wanted there by now, in the run that was under way by then.
 * `began`: since when the first of those that want it does. `settles`: it is seen to be what its group has, and that is to be kept:
 * it soaks from then.
 */
export function standsWith(tried: Tried, row: Newest, began: number): (Stands & { settles?: true }) | null {
  const { wish, state, begun, stopped, left, settledAt, doneAfter } = tried
  const has = isVersion(wish) && wish === `version ${row.version}`
  const isOther = row.id !== null && isOpen(row.state)
  // What is wanted there, and not found yet, may be to get it anew.
  const known = has && (row.settled || isOther) ? 'through' : 'was'
  const through = (since: Date): Stands => ({ state: known, since: since.getTime() })
  if (state === 'done') return through(tried.finishedAt)
  if (settledAt) return through(settledAt)
  if (has && doneAfter) return through(doneAfter)
  // Of what had not begun, and was left, only somebody's no to it counts.
  if (!has && (!(begun || (left && stopped)) || tried.finishedAt.getTime() < began)) return null
  if (stopped) return { state: 'open', at: UNENDED.stopped, stays: true }
  const quiet = row.settled && row.available && !row.unended && !isOther
  if (quiet && (has || (row.left && row.wish === wish))) return { state: known, settles: true }
  if (!has) return { state: 'open', at: OVER, stays: true }
  // It wants no machine any more.
  if (row.empty) return null
  return { state: 'open', at: isOther ? OVERTAKEN : UNENDED.unready }
}
