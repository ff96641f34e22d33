import { pool } from '@/lib/db/client'
import { LEFT_AFTER_MIN } from '@/lib/domain/health-checks'
import { OPEN_SQL } from '@/lib/services/changes/states'
import { ownedSql } from '../owned'
import type { Owning } from '../planner/common'

/** Nothing of it is set, or put back, any more; a mark that is there still goes without it. */
const IS_OVER = `
c.id = s.change_id AND c.cluster_id = $1::uuid AND c.state NOT IN (${OPEN_SQL})
  AND (c.finished_at > now() - interval '${LEFT_AFTER_MIN} minutes') IS NOT TRUE`
const OVER = `
DELETE FROM remediation_skip s USING change c
WHERE ${IS_OVER} AND ${ownedSql('$1', '$2', `SELECT 1 FROM remediation_skip s, change c WHERE ${IS_OVER}`)}`

/** What was set is remembered for as long as its change may still ask for it. */
export async function forgetOver({ clusterId, fence }: Owning): Promise<void> {
  await pool().query(OVER, [clusterId, fence])
}
