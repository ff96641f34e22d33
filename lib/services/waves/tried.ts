import type { Tx } from '@/lib/db/client'
import { isAgainstSql } from '../changes/against'
import { OPEN_SQL } from '../changes/states'
import { beganSql, type Newest } from './newest'
import { isOpen, UNENDED, type Stands } from './stands'

/** Of what others want: what was the newest of it in a group, and is over. It had begun, or was left with its cluster. */
export interface Tried {
  groupId: string
  wish: string
  exact: string | null
  state: string
  detectedAt: Date
  finishedAt: Date
  /** By itself, or somebody said no to it. */
  stopped: boolean
  left: boolean
  /** Seen to have it since (settle-left.ts). */
  leftSettledAt: Date | null
  /** Another change of the group was done since. */
  doneAfter: Date | null
}

/**
 * `since`: of what may be wanted again and again with other dates, only what was over after that. A version is the same whenever it
 * is wanted.
 */
const TRIED = `
SELECT DISTINCT ON (c.group_id, c.wish) c.group_id::text AS "groupId", c.wish, c.wish_exact AS exact, c.state, c.detected_at AS "detectedAt",
  coalesce(c.finished_at, c.detected_at) AS "finishedAt", c.left_after IS NOT NULL AS left, c.left_settled_at AS "leftSettledAt",
  c.state <> 'done' AND (c.stopped_at IS NOT NULL OR ${isAgainstSql('c')}) AS stopped,
  (SELECT max(n.finished_at) FROM change n WHERE n.group_id = c.group_id AND n.state = 'done' AND n.detected_at > c.detected_at) AS "doneAfter"
FROM unnest($1::text[], $2::timestamptz[]) AS of (wish, since) JOIN change c ON c.wish = of.wish
WHERE c.state NOT IN (${OPEN_SQL}) AND (of.since IS NULL OR c.finished_at >= of.since) AND EXISTS (SELECT 1 FROM machine_group g WHERE g.id = c.group_id)
  AND (c.state = 'done' OR c.left_after IS NOT NULL OR ${beganSql('c')})
ORDER BY c.group_id, c.wish, c.detected_at DESC, c.id`

const isVersion = (wish: string): boolean => wish.startsWith('version ')

/** By group, of all that is open in any of these. */
export async function triedOf(tx: Tx, newest: ReadonlyMap<string, Newest>): Promise<Map<string, Tried[]>> {
  const wanted = new Map<string, number>()
  for (const { state, wish, detectedAt } of newest.values())
    if (wish !== null && isOpen(state)) wanted.set(wish, Math.min(wanted.get(wish) ?? Infinity, detectedAt.getTime()))
  if (wanted.size === 0) return new Map()
  const since = [...wanted].map(([wish, at]) => (isVersion(wish) ? null : new Date(at)))
  const rows = await tx.$queryRawUnsafe<Tried[]>(TRIED, [...wanted.keys()], since)
  const found = new Map<string, Tried[]>()
  for (const row of rows) found.set(row.groupId, [...(found.get(row.groupId) ?? []), row])
  return found
}

const OVER = 'begun, and over before it was done: do not wait for its wave, or roll it out anew'
const OVERTAKEN = 'another change took its place before it was done, and is not done either'

/**
 * Where a group is with what others want, and its own newest change is another one, or was changed back. What was through goes on
 * soaking; what had begun and never was is waited for, whatever is wanted there by now, in the run that was under way by then.
 * `began`: when the first of those that want it was found.
 */
export function standsWith(tried: Tried, row: Newest, began: number): Stands | null {
  const { wish, state, stopped, left, leftSettledAt, doneAfter } = tried
  const has = isVersion(wish) && wish === `version ${row.version}`
  const isOther = row.id !== null && isOpen(row.state)
  // What is wanted there, and not found yet, may be to get it anew.
  const known = has && (row.settled || isOther) ? 'through' : 'was'
  const through = (since: Date): Stands => ({ state: known, since: since.getTime() })
  if (state === 'done') return through(tried.finishedAt)
  if (leftSettledAt) return through(leftSettledAt)
  if (has && doneAfter) return through(doneAfter)
  if (!has && (left || tried.finishedAt.getTime() < began)) return null
  if (stopped) return { state: 'open', at: UNENDED.stopped, stays: true }
  if (!has) return { state: 'open', at: OVER, stays: true }
  // It wants no machine any more.
  if (row.empty) return null
  const quiet = row.settled && row.available && !isOther
  // Of what was left, from when it is seen to have it: what became of it before that nobody knows.
  return quiet
    ? through(left ? new Date() : (row.finishedAt ?? tried.finishedAt))
    : { state: 'open', at: isOther ? OVERTAKEN : UNENDED.unready }
}
