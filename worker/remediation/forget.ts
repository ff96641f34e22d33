import { pool } from '@/lib/db/client'
import { LEFT_AFTER_MIN } from '@/lib/domain/health-checks'
import { OPEN_SQL } from '@/lib/services/changes/states'

/** Nothing of it is set, or put back, any more; a mark that is there still goes without it. */
const OVER = `
DELETE FROM remediation_skip s USING change c
WHERE c.id = s.change_id AND c.cluster_id = $1::uuid AND c.state NOT IN (${OPEN_SQL})
  AND (c.finished_at > now() - interval '${LEFT_AFTER_MIN} minutes') IS NOT TRUE`

/** What was set is remembered for as long as its change may still ask for it. */
export async function forgetOver(clusterId: string): Promise<void> {
  await pool().query(OVER, [clusterId])
}
