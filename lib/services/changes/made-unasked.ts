import { db, type Tx } from '@/lib/db/client'
import { UNASKED_BY_GATE } from '@/lib/domain/latch/gate-alone'
import { MOVED_UNAPPROVED, recordBegun } from './moved-unapproved'

/** In the details of such an event: nobody was asked before these were made. */
export const MADE_UNASKED = 'unasked'

const OF_GROUP = `m.cluster_id = c.cluster_id AND m.group_kind = c.group_kind AND m.namespace = c.namespace AND m.group_name = c.group_name`
const RECORDED = `SELECT string_to_array(a.details->>'nodes', ', ') AS names FROM audit_event a WHERE a.target_kind = c.group_kind
  AND a.target_id = c.id::text AND a.action = '${MOVED_UNAPPROVED}' AND a.details ? '${MADE_UNASKED}'`

/** What was written longer before it was seen, nobody had seen for another reason. */
const BEFORE = '60 seconds'
/**
 * Control plane machines of what waits, made since it was written (`$2`, by the API server's clock, to the second; null: not known),
 * while only the gate held it, and not on record yet. What was let go before, and what was there when it was first seen, tells nothing.
 */
const NEWS = `
SELECT m.name, false AS "letGo", c.due_mode IS NOT NULL AS approved, true AS later FROM change c JOIN machine m ON ${OF_GROUP}
WHERE c.id = $1::uuid AND c.group_kind = 'KubeadmControlPlane' AND c.held_by = 'gate' AND NOT c.first_seen AND m.verdict = 'up-to-date' AND NOT m.deleting
  AND m.created_at >= date_trunc('second', greatest(c.detected_at - interval '${BEFORE}', least(c.detected_at, $2::timestamptz)))
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND d.mode <> 'reject' AND d.sent_at IS NOT NULL)
  AND NOT EXISTS (${RECORDED} AND m.name = ANY(string_to_array(a.details->>'nodes', ', ')))
ORDER BY m.name`

type Begun = Parameters<typeof recordBegun>[3]

const newsOf = (tx: Tx, id: string, written: string | null): Promise<Begun> =>
  tx.$queryRawUnsafe<Begun>(NEWS, id, written)

/** Whether any is to be put on record: mostly there is none, and nothing is locked for it. */
export const isMadeUnasked = async (id: string, written: string | null): Promise<boolean> =>
  (await newsOf(db(), id, written)).length > 0

/** Puts on record, each once, what was made of a change that only the gate holds. False: there is none. */
export async function recordMadeUnasked(
  tx: Tx,
  change: Parameters<typeof recordBegun>[1],
  cluster: string,
  written: string | null,
): Promise<boolean> {
  const news = await newsOf(tx, change.id, written)
  if (news.length === 0) return false
  await recordBegun(tx, change, cluster, news, UNASKED_BY_GATE, { [MADE_UNASKED]: true })
  return true
}

/** By change: names of the machines that are on record so. `ids`: which are asked about; absent: all that only the gate holds now. */
export async function madeUnasked(ids?: readonly string[]): Promise<Map<string, string[]>> {
  if (ids?.length === 0) return new Map()
  const rows = await db().$queryRawUnsafe<{ id: string; names: string[] }[]>(
    ids ? made('c.id = ANY($1::uuid[])') : made("c.state = 'waiting' AND c.held_by = 'gate'"),
    ...(ids ? [ids] : []),
  )
  return new Map(rows.map(({ id, names }) => [id, names]))
}
const made = (which: string) => `
SELECT id, array_agg(DISTINCT name ORDER BY name) AS names FROM (
  SELECT c.id::text AS id, unnest(r.names) AS name FROM change c CROSS JOIN LATERAL (${RECORDED}) r WHERE ${which}) made
GROUP BY id`

/** In SQL, of a change (`c`): how many of those are there, and not among what was followed since it was let go. */
export const UNASKED_THERE = `(SELECT count(*) FROM machine m WHERE ${OF_GROUP} AND NOT m.deleting
  AND EXISTS (${RECORDED} AND m.name = ANY(string_to_array(a.details->>'nodes', ', ')))
  AND NOT EXISTS (SELECT 1 FROM machine_progress k WHERE k.change_id = c.id AND k.machine_id = m.id AND k.state = 'created'))`
