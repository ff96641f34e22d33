import { pool } from '@/lib/db/client'
import { SKEW_WORD, SKEW_WRITTEN } from '@/lib/db/queries/boot-image-where'

const SHOWN = `CASE ${SKEW_WORD}
  WHEN 'acknowledge' THEN o.spec_skew->>'mode' = 'Manual'
    AND o.spec_skew->'manual'->>(CASE a.version_kind WHEN 'RHCOSVersion' THEN 'rhcosVersion' ELSE 'ocpVersion' END) = a.version
  WHEN 'opt-out' THEN o.spec_skew->>'mode' = 'None'
  ELSE o.spec_skew IS NULL END`

const LOSE = `UPDATE skew_action a SET lost_at = now() FROM openshift_cluster o
  WHERE a.cluster_id = $1 AND o.cluster_id = a.cluster_id AND a.lost_at IS NULL AND ${SKEW_WRITTEN} AND ${SKEW_WORD} IS NOT NULL
    AND o.skew_supported
    AND o.generation >= coalesce(a.generation, 0) AND (${SHOWN}) IS NOT TRUE`

/**
 * A word on the limit that the watch does not show any more is over: where the same stands there again later, somebody else wrote it.
 * Called after every write of the row that shows the limit; one of before the word says nothing of it.
 */
export async function loseWords(clusterId: string): Promise<void> {
  await pool().query(LOSE, [clusterId])
}
