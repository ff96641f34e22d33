import { pool } from '@/lib/db/client'
import { LEFT_AFTER_MIN } from '@/lib/domain/health-checks'
import { OPEN_SQL } from '@/lib/services/changes/states'
import { ownedSql } from '../owned'
import type { Owning } from '../planner/common'

/**
 * Nothing of it is set, or put back, any more. That is not so while a machine bears its mark, which may be in the middle of its update; nor
 * while one is that Drydock itself was to leave, and did not: it is marked again.
 */
const IS_OVER = `
c.id = s.change_id AND c.cluster_id = $1::uuid AND c.state NOT IN (${OPEN_SQL})
  AND (c.finished_at > now() - interval '${LEFT_AFTER_MIN} minutes') IS NOT TRUE
  AND NOT EXISTS (SELECT 1 FROM machine m WHERE m.id = s.machine_id AND m.cluster_id = $1::uuid AND (m.skip_mark = s.change_id::text OR (m.updating AND s.state IN ('setting', 'taken'))))`
const OVER = `
DELETE FROM remediation_skip s USING change c
WHERE ${IS_OVER} AND ${ownedSql('$1', '$2', `SELECT 1 FROM remediation_skip s, change c WHERE ${IS_OVER}`)}`

/** What was set is remembered for as long as its change may still ask for it. */
export async function forgetOver({ clusterId, fence }: Owning): Promise<void> {
  await pool().query(OVER, [clusterId, fence])
}
