import { pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { SKEW_WORD, SKEW_WRITTEN } from '@/lib/db/queries/boot-image-where'
import { writersOf, type Managed } from '@/lib/domain/openshift/owners'
import { loseChoice } from './lose-choice'
import { ANOTHER_SQL, SINCE_SQL } from './shown-since'

const SHOWN = `CASE ${SKEW_WORD}
  WHEN 'acknowledge' THEN o.spec_skew->>'mode' = 'Manual'
    AND o.spec_skew->'manual'->>(CASE a.version_kind WHEN 'RHCOSVersion' THEN 'rhcosVersion' ELSE 'ocpVersion' END) = a.version
  WHEN 'opt-out' THEN o.spec_skew->>'mode' = 'None'
  ELSE o.spec_skew IS NULL END`

const LOSE = `UPDATE skew_action a SET lost_at = now(), lost_by = $2 FROM openshift_cluster o
  WHERE a.cluster_id = $1 AND o.cluster_id = a.cluster_id AND a.lost_at IS NULL AND ${SKEW_WRITTEN} AND ${SKEW_WORD} IS NOT NULL
    AND o.skew_supported
    AND (${ANOTHER_SQL} OR (${SINCE_SQL} AND (${SHOWN}) IS NOT TRUE))`

/** The one that pages speak of. */
const NEWEST = `a.cluster_id = $1 AND o.cluster_id = a.cluster_id AND o.skew_supported
  AND a.id = (SELECT a.id FROM skew_action a WHERE a.cluster_id = $1 AND ${SKEW_WRITTEN} AND ${SKEW_WORD} IS NOT NULL ORDER BY a.recorded_at DESC LIMIT 1)`

/** A decision after it wrote over it, and was gone back from: what was put back is this word. */
const RESTORE = `UPDATE skew_action a SET lost_at = NULL, lost_by = NULL FROM openshift_cluster o
  WHERE ${NEWEST} AND a.lost_by = 'drydock' AND coalesce($2, 'drydock') = 'drydock' AND (${ANOTHER_SQL}) IS NOT TRUE AND (${SHOWN})
    AND EXISTS (SELECT 1 FROM skew_action b WHERE b.cluster_id = a.cluster_id AND b.recorded_at > a.recorded_at AND b.recorded_at <= a.lost_at
      AND b.steps @> '[{"cancels": true, "state": "stored"}]')`

/** What stands there now is by somebody else again. */
const WROTE = `UPDATE skew_action a SET lost_at = now(), lost_by = $2 FROM openshift_cluster o
  WHERE ${NEWEST} AND a.lost_at IS NOT NULL AND a.lost_by IS DISTINCT FROM $2 AND $2::text IS NOT NULL AND (${SHOWN}) IS NOT TRUE`

/** Whose word it is, is said by who holds the version: somebody else may hold what stands around it. */
const SAYS = ['.manual.ocpVersion', '.manual.rhcosVersion', '.mode', '']

/**
 * A word on the limit, or on managed machine sets, that the watch does not show any more is over: where the same stands there again
 * later, or in another object under its name, somebody else wrote it, but for a decision that was gone back from. Called after every write of the row that shows them.
 * `metadata`: of the object, for who wrote over it.
 */
export async function loseWords(clusterId: string, metadata: Managed = {}): Promise<void> {
  const writer = (field: string) => writersOf(metadata, [field]).at(-1) ?? null
  const by = SAYS.map((part) => writer(`spec.bootImageSkewEnforcement${part}`)).find(Boolean) ?? null
  let rowCount = 0
  for (const sql of [RESTORE, LOSE, WROTE]) rowCount += (await pool().query(sql, [clusterId, by])).rowCount ?? 0
  const isLost = await loseChoice(clusterId, writer('spec.managedBootImages'))
  if (rowCount || isLost) await announce(pool(), { topic: 'boot-images', cluster: clusterId })
}
