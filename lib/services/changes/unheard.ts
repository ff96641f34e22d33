import { pool } from '@/lib/db/client'
import { OVER, type ChangeDto } from './change-row'

/** Why nothing is sent to a cluster now: no worker follows it, or its API server does not take what is sent. */
export type Unheard = 'no-worker' | 'no-answer'

const WHY = `
SELECT CASE WHEN c.state = 'disconnected' THEN NULL WHEN NOT coalesce(l.until > now(), false) THEN 'no-worker'
  WHEN c.state IN ('unreachable', 'unauthorised') THEN 'no-answer' END AS why
FROM management_cluster c LEFT JOIN cluster_lease l ON l.cluster_id = c.id WHERE c.id = $1`

/** What is decided, paused or stopped meanwhile is not carried out; null: it is, or the change is over. */
export async function unheard({ clusterId, state }: Pick<ChangeDto, 'clusterId' | 'state'>): Promise<Unheard | null> {
  if (OVER.includes(state)) return null
  const { rows } = await pool().query<{ why: Unheard | null }>(WHY, [clusterId])
  return rows[0]?.why ?? null
}
