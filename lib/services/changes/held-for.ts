import { pool } from '@/lib/db/client'
import { suspendedWords } from '@/lib/domain/holds'
import type { ChangeDto } from './change-row'
import { OPEN_SQL } from './states'

/** Of a group that is held: since when it stands still, and what does not happen meanwhile. */
export interface HeldFor {
  since: string
  suspended: string[]
}

interface Row {
  id: string
  since: Date
  wanted: number
  has: number
  ill: string[]
  /** The gate alone suspends nothing. */
  paused: boolean
}

/** Of change c and its group g: held by the latch, or by the gate alone. */
export const IS_HELD = `(c.state IN (${OPEN_SQL}) AND (g.held IS NOT NULL OR (c.state IN ('waiting', 'rejected') AND c.held_by = 'gate')))`

/**
 * The age is the group's, as its own manager says it: a newer change makes no old hold young. Where it says nothing, what never
 * began is as old as the change; of the rest nothing is known.
 */
export const HELD_SINCE = `coalesce(g.held_since, CASE WHEN c.started_at IS NULL THEN c.detected_at ELSE now() END)`

const SQL = `
SELECT c.id, ${HELD_SINCE} AS since, g.held IS NOT NULL AS paused, g.desired_replicas AS wanted, g.replicas AS has, ARRAY(
  SELECT m.name FROM machine m WHERE m.cluster_id = g.cluster_id AND m.namespace = g.namespace AND m.group_kind = g.kind
    AND m.group_name = g.name AND m.check_failed_since IS NOT NULL ORDER BY m.name LIMIT 20) AS ill
FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
WHERE c.id = ANY($1::uuid[]) AND ${IS_HELD}`

/** Of those of these changes that are held, by their ids. */
export async function heldFor(
  changes: readonly Pick<ChangeDto, 'id' | 'groupKind' | 'fromVersion' | 'toVersion'>[],
): Promise<Record<string, HeldFor>> {
  if (changes.length === 0) return {}
  const { rows } = await pool().query<Row>(SQL, [changes.map(({ id }) => id)])
  const byId = new Map(changes.map((change) => [change.id, change]))
  return Object.fromEntries(
    rows.map(({ id, since, paused, ...held }) => {
      const { groupKind: kind, fromVersion, toVersion } = byId.get(id)!
      const versionWaits = fromVersion !== toVersion
      return [
        id,
        { since: since.toISOString(), suspended: paused ? suspendedWords({ kind, ...held, versionWaits }) : [] },
      ]
    }),
  )
}
